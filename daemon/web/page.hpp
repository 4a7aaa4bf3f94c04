// The page of one subject, made of its view. Pure: equal views, equal pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/view/view.hpp"
#include "daemon/web/html.hpp"

namespace tbci::daemon::web {

/// The whole document.
std::string page_html(const view::PageView& page);
/// A document that says what is wrong: `404`, `no subject 'x'`.
std::string error_html(std::string_view title, std::string_view text);

// Its parts, each a section. Internal to daemon/web.
Html activity_section(const view::StatusView& status);
Html night_section(const view::PageView& page);
Html regressions_section(const view::RegressionsView& regressions, Markup title);
Html nights_section(const view::PageView& page);
Html deliveries_section(const std::vector<view::ReportView>& reports);

/// A word with its colour: `<span class="chip regression">regression</span>`.
Html chip(std::string_view word);
/// `2026-01-07 04:30 UTC` in a <time> element; nothing for the epoch.
Html time_html(TimePoint time);
/// Address of a subject's page, and of one of its nights.
std::string page_address(std::string_view subject, std::string_view night = {});

}  // namespace tbci::daemon::web
