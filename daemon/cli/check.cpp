#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/regression_table.hpp"
#include "daemon/cli/show.hpp"
#include "daemon/state_dir.hpp"
#include "pipeline/night/delivering.hpp"
#include "pipeline/night/improvements.hpp"
#include "pipeline/pipeline.hpp"
#include "web/queries/json.hpp"
#include "web/queries/queries.hpp"

namespace tbci::daemon {

namespace {

struct CheckOptions {
  std::string subject;
  pipeline::NightChoice choice;
  bool all = false;
  bool once = true;  ///< check has no other way; `tbci serve` goes on each night
};

// An improvement's search may fail: a note says so, and the next call tries again. The night has its result.
Status search_improvements(pipeline::SubjectContext& context, const model::Night& night) {
  Status searched = pipeline::search_improvements_of(context, night);
  if (searched || searched.error().kind == ErrorKind::interrupted || searched.error().kind == ErrorKind::damaged)
    return searched;
  context.progress.note(fmt::format("tbci does not know yet which commits made the improvements: {}",
                                    one_line(searched.error().message, 300)));
  return {};
}

// One line for each reason why cases were not measured: `8 cases unsupported: built without CUDA (dlrm/gpu-train,
// ...)`.
std::string lines_of(const std::vector<web::queries::UnmeasuredCase>& unmeasured) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const web::queries::UnmeasuredCase& one : unmeasured) {
    by_reason[fmt::format("{}: {}", to_string(one.outcome), one_line(one.reason, 100))].push_back(
        to_string(one.measured));
  }
  std::string text;
  for (const auto& [reason, cases] : by_reason) {
    text += fmt::format("{} {} ({}{})\n", counted(cases.size(), "case"), reason, cases.front(),
                        cases.size() > 1 ? ", ..." : "");
  }
  return text;
}

void show(const pipeline::NightResult& result, const std::vector<web::queries::UnmeasuredCase>& unmeasured, bool all) {
  fmt::print("{}\n", headline(result));
  fmt::print("{}", table_of(result.findings, all));
  fmt::print("{}", lines_of(unmeasured));
  for (const model::Regression& regression : result.regressions) {
    if (regression.suspects.empty())
      fmt::print("{}: no culprit: {}\n", to_string(regression.finding.series), regression.reason);
  }
}

Result<ExitCode> check(const Invocation& invocation, const CheckOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  TBCI_ASSIGN(const auto opened, open_subject(std::move(config), *invocation.clock, options.subject));
  const auto& [state, subject] = opened;
  const auto progress = make_progress(invocation, stages_of_a_night());
  OpenContext at(*state, *subject, *progress, stop);
  TBCI_ASSIGN(const pipeline::NightResult result, pipeline::check_night(at.context(), options.choice));
  TBCI_TRY(pipeline::deliver_reports(state->stores(), state->config(), state->clock(), stop));
  TBCI_TRY(search_improvements(at.context(), result.night));
  TBCI_TRY(pipeline::deliver_reports(state->stores(), state->config(), state->clock(), stop));
  TBCI_ASSIGN(const auto night, web::queries::night_view(state->stores().database, subject->name, result.night.name));
  const std::vector<web::queries::UnmeasuredCase> unmeasured =
      night ? night->unmeasured : std::vector<web::queries::UnmeasuredCase>{};
  if (invocation.json) {
    nlohmann::json json = json_of(result);
    json["not_measured"] = nlohmann::json::array();
    for (const web::queries::UnmeasuredCase& one : unmeasured)
      json["not_measured"].push_back(web::queries::json_of(one));
    json["skipped_nightlies"] = night ? web::queries::json_of(*night)["skipped_nightlies"] : nlohmann::json::array();
    json["improvements"] = night ? web::queries::json_of(*night)["improvements"] : nlohmann::json::array();
    json["reports"] = nlohmann::json::array();
    for (const model::Report& report : result.reports) {
      TBCI_ASSIGN(const auto filed, web::queries::report_view(state->stores().database, report.id));
      if (filed) json["reports"].push_back(web::queries::json_of(*filed));
    }
    print_json(json);
  } else {
    show(result, unmeasured, options.all);
    const std::string gap = night ? web::queries::gap_text(night->skipped) : std::string();
    if (!gap.empty()) fmt::print("{}\n", gap);
    if (night) fmt::print("{}", improvement_lines(night->improvements));
    for (const model::Report& report : result.reports) {
      TBCI_ASSIGN(const auto deliveries, state->stores().reports.deliveries(report.id));
      for (const model::Delivery& delivery : deliveries) {
        fmt::print("report {}: {}\n  {}: {}\n", report.id, report.title, to_string(delivery.state),
                   delivery.reference.empty() ? delivery.error : delivery.reference);
      }
    }
  }
  if (result.night.stage == model::Stage::failed)
    return fail(ErrorKind::failed, "night {} failed: {} (--retry tries it again)", result.night.name,
                result.night.note);
  if (!result.regressions.empty()) return ExitCode::negative;
  const std::string nothing = pipeline::why_nothing_measured(result);
  if (!nothing.empty())
    return fail(ErrorKind::failed, "nothing was measured on {}: {}", result.night.name, one_line(nothing, 400));
  return ExitCode::success;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand(
      "check", "Run one nightly cycle now: compare the newest nightly with the last one that was checked");
  command->footer(
      "Installs both nightlies, measures the suite on both, confirms what the screen suspects by interleaved pairs,\n"
      "bisects the commits between them by rebuilding, files one report per culprit, and delivers it.\n"
      "After a kill or a stop, the same command continues where it stopped and repeats no finished work.\n\n"
      "  tbci check --config configs/pytorch-cpu.toml\n"
      "  tbci check --nightly 2026-01-07 --baseline 2026-01-06\n\n"
      "Exit code 1 if it found a regression.");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("--subject", options->subject, "Which subject (default: the only one)")->type_name("NAME");
  command->add_option("--nightly", options->choice.nightly, "Check this nightly (default: the newest)")
      ->type_name("NAME");
  command
      ->add_option("--baseline", options->choice.baseline,
                   "Compare it with this one (default: the last that was checked)")
      ->type_name("NAME");
  command->add_flag("--retry", options->choice.retry, "Try a failed night again, beginning with the installation");
  // Hidden: check always runs one cycle, but scripts may pass it.
  command->add_flag("--once", options->once, "No effect: check always runs one cycle")->group("");
  command->add_flag("--all", options->all, "Show series that are clear as well");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return check(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
