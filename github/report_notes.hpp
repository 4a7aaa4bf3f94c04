// What people should read even if they do not look at a report again: the text of the comments on its issue. Pure; safe
// from any thread. All texts of the arguments may be hostile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "github/recovery_section.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/decision.hpp"
#include "storage/model/night.hpp"

namespace tbci::github {

/// `dlrm (cpu-train), time: 9.8 ms became 12.9 ms (+31.0%, +29.0% to +33.0%)`
std::string figures_text(const model::Finding& finding);

std::string culprit_note(const model::Commit& culprit);
std::string worse_note(const std::vector<model::Finding>& worse, std::string_view night);
std::string relapse_note(const std::vector<model::Finding>& back, std::string_view night);
/// All regressions of a report are settled: as measured, and as persons decided. At least one is not empty.
std::string ending_note(const std::vector<Recovery>& recoveries, const std::vector<model::Decision>& decisions);
/// Another search that a person asked for found its regressions' culprits in other reports.
std::string moved_note();
std::string reopening_note(const model::Decision& decision);
/// What tonight's pairs say where a person asked for them.
std::string confirmation_note(const std::vector<std::string>& looks, std::string_view night, std::string_view person);
/// Why a command does nothing, and which there are.
std::string unknown_command_note(std::string_view person, std::string_view why);

}  // namespace tbci::github
