// The page of one subject, made of its view. Pure: equal views, equal pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/pages/html.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

/// The whole document.
std::string page_html(const queries::PageView& page);
/// A document with an error message: `404`, `no subject 'x'`.
std::string error_html(std::string_view title, std::string_view text);

/// The beginning of every document: up to </head>, and the header with the subjects.
Html head(std::string_view title);
Html header(const queries::StatusView& status, const std::string& chosen);

// Internal to web/pages. Other sections have files of their own.
Html activity_section(const queries::StatusView& status);

/// A word with its colour: `<span class="chip regression">regression</span>`.
Html chip(std::string_view word);
/// `2026-01-07 04:30 UTC` in a <time> element; empty for the epoch.
Html time_html(TimePoint time);
/// Address of a subject's page, and of one of its nights.
std::string page_address(std::string_view subject, std::string_view night = {});
/// Address of a series' page.
std::string series_address(std::string_view subject, const model::Series& series);

}  // namespace tbci::web
