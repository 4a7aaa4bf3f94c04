#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/show.hpp"
#include "daemon/pipeline/delivering.hpp"
#include "daemon/pipeline/pipeline.hpp"
#include "daemon/site.hpp"

namespace tbci::daemon {

namespace {

struct CheckOptions {
  std::string subject;
  NightChoice choice;
  bool all = false;
  bool once = true;  ///< check has no other way; `tbci serve` goes on each night
};

void show(const NightResult& result, bool all) {
  fmt::print("{}\n", headline(result));
  fmt::print("{}", table_of(result.findings, all));
  for (const model::Regression& regression : result.regressions) {
    if (regression.suspects.empty())
      fmt::print("{}: no culprit: {}\n", to_string(regression.finding.series), regression.reason);
  }
}

Result<int> check(const Invocation& invocation, const CheckOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(Config config, load_config(invocation));
  TBCI_ASSIGN(const auto site, Site::open(std::move(config)));
  TBCI_ASSIGN(const SubjectConfig* subject, site->config().subject(options.subject));
  const auto progress = make_progress(invocation);
  SubjectDesk at(*site, *subject, *progress, stop);
  TBCI_ASSIGN(const NightResult result, check_night(at.desk(), options.choice));
  TBCI_TRY(deliver_reports(site->stores(), site->config(), site->clock(), stop));
  if (invocation.json) {
    print_json(json_of(result));
  } else {
    show(result, options.all);
    for (const model::Report& report : result.reports) {
      TBCI_ASSIGN(const auto deliveries, site->stores().reports.deliveries(report.id));
      for (const model::Delivery& delivery : deliveries) {
        fmt::print("report {}: {}\n  {}: {}\n", report.id, report.title, to_string(delivery.state),
                   delivery.reference.empty() ? delivery.error : delivery.reference);
      }
    }
  }
  if (result.night.stage == model::Stage::failed)
    return fail(ErrorKind::failed, "night {} failed: {} (--retry tries it again)", result.night.name,
                result.night.note);
  return result.regressions.empty() ? success : negative;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  auto* command =
      app.add_subcommand("check", "One nightly cycle now: the newest nightly against the last one that was checked");
  command->footer(
      "Installs both nightlies, measures the suite on both, confirms what the screen suspects by interleaved pairs,\n"
      "bisects the commits between them by rebuilding, files one report per culprit, and delivers it.\n"
      "Killed or stopped, the same command goes on where it was and repeats nothing that was finished.\n\n"
      "  tbci check --config configs/demo.toml --subject demo\n"
      "  tbci check --nightly 2026-01-07 --baseline 2026-01-06\n\n"
      "Exit code 1 where a regression was found.");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("--subject", options->subject, "Which subject (default: the only one)")->type_name("NAME");
  command->add_option("--nightly", options->choice.nightly, "Check this nightly (default: the newest)")
      ->type_name("NAME");
  command
      ->add_option("--baseline", options->choice.baseline,
                   "Hold it against this one (default: the last that was checked)")
      ->type_name("NAME");
  command->add_flag("--retry", options->choice.retry, "Try a night again that failed, from the installation on");
  command->add_flag("--once", options->once, "One cycle, then end: what check does anyway");
  command->add_flag("--all", options->all, "Show series that are clear as well");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return check(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
