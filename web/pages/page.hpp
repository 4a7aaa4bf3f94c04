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

// The sections of the page. Internal to web/pages.
Html activity_section(const queries::StatusView& status);
Html night_section(const queries::PageView& page);
Html regressions_section(const queries::RegressionsView& regressions, Markup title);
Html improvements_section(const std::vector<queries::ImprovementView>& improvements);  ///< empty without any
Html nights_section(const queries::PageView& page);
Html deliveries_section(const std::vector<queries::ReportView>& reports);

/// A word with its colour: `<span class="chip regression">regression</span>`.
Html chip(std::string_view word);
/// A commit as an item of a list.
Html commit_html(const model::Commit& commit);
/// `2026-01-07 04:30 UTC` in a <time> element; empty for the epoch.
Html time_html(TimePoint time);
/// Address of a subject's page, and of one of its nights.
std::string page_address(std::string_view subject, std::string_view night = {});
/// Address of a series' page.
std::string series_address(std::string_view subject, const model::Series& series);

}  // namespace tbci::web
