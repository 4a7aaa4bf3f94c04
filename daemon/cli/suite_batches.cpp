#include "daemon/cli/suite_batches.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/option_values.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/suite_source.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct BatchesOptions {
  Selection selection;
  std::string build, file;
  runner::BatchSearchSettings search;
  bool again = false;
};

constexpr const char* batches_footer =
    "For each case the batch is doubled from one, each batch in fresh processes, until the throughput (samples per\n"
    "second) stops rising for two doublings, memory is full, or a process takes longer than [measure] time_limit.\n"
    "The smallest batch with the best throughput is kept; [measure] batch_sizes = FILE makes tbci use it. Cases that\n"
    "the file already has for this machine are not searched again.\n\n"
    "  tbci suite batches\n"
    "  tbci suite batches --benchmarks resnet18 --precision bf16 --again --json\n\n"
    "Exit code 1 if a case failed (an unsupported case is not a failure).";

double best_throughput(const runner::BatchAnswer& answer) {
  const auto best = std::find_if(answer.points.begin(), answer.points.end(),
                                 [&](const auto& point) { return point.batch == answer.batch; });
  return best == answer.points.end() ? 0 : best->samples_per_second;
}

bool failed(const pipeline::CaseSearch& search) {
  const runner::BatchAnswer& answer = search.searched.answer;
  return answer.batch == 0 && answer.points.back().outcome != model::Outcome::unsupported;
}

std::map<std::string, int> own_batches(const std::vector<runner::BenchmarkInfo>& suite) {
  std::map<std::string, int> own;
  for (const runner::BenchmarkInfo& benchmark : suite) {
    if (const auto batch = benchmark.batch.find("infer"); batch != benchmark.batch.end())
      own[benchmark.name] = static_cast<int>(batch->second);
  }
  return own;
}

Result<ExitCode> batches(const Invocation& invocation, const BatchesOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation, options.selection));
  pipeline::BatchSearchPlan plan;
  plan.file = options.file.empty() ? settings::batch_sizes_path(config) : std::filesystem::path(options.file);
  plan.settings = options.search;
  plan.again = options.again;
  config.measure.backends = {model::Backend::eager};  // whose batch all backends of a case have
  config.measure.batch_sizes.clear();                 // the search makes the file, and does not use it
  TBCI_ASSIGN(const auto session,
              open_session(invocation, std::move(config), options.selection.subject, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const model::Product product, product_to_ask(context, options.build));
  TBCI_ASSIGN(const auto wanted, pipeline::wanted_cases(context, product));
  TBCI_ASSIGN(plan.cases, pipeline::inference_of(wanted));
  TBCI_ASSIGN(const auto suite, context.machine.benchmarks(product, context.stop));
  TBCI_ASSIGN(const auto searches, pipeline::search_batches(context, product, plan));
  if (invocation.json) {
    print_json({{"file", plan.file.string()}, {"cases", batches_json(searches)}});
  } else {
    fmt::print("{}\nkept in {}\n", batches_text(searches, own_batches(suite.benchmarks)), plan.file.string());
  }
  return std::any_of(searches.begin(), searches.end(), failed) ? ExitCode::negative : ExitCode::success;
}

}  // namespace

std::string batches_text(const std::vector<pipeline::CaseSearch>& searches,
                         const std::map<std::string, int>& own_batches) {
  Table table({{"case"},
               {"batch", Align::right},
               {"samples/s", Align::right},
               {"with one", Align::right},
               {"the suite's own", Align::right},
               {"ended by"}});
  for (const auto& [searched, now] : searches) {
    const runner::BatchAnswer& answer = searched.answer;
    const auto own = own_batches.find(searched.measured.benchmark);
    const std::string own_text = own == own_batches.end() ? "-" : std::to_string(own->second);
    if (answer.batch == 0) {
      const runner::BatchPoint& last = answer.points.back();
      table.add({to_string(searched.measured), "-", "-", "-", own_text,
                 fmt::format("{}: {}", to_string(last.outcome), one_line(last.message, 90))});
      continue;
    }
    const double with_one = answer.points.empty() ? 0 : answer.points.front().samples_per_second;
    const std::string why = answer.why.empty() ? "" : ": " + one_line(answer.why, 80);
    table.add({to_string(searched.measured), std::to_string(answer.batch),
               fmt::format("{:.4g}", best_throughput(answer)), fmt::format("{:.4g}", with_one), own_text,
               fmt::format("{}{}{}", to_string(answer.end), why, now ? "" : " (was in the file)")});
  }
  return table.text();
}

nlohmann::json batches_json(const std::vector<pipeline::CaseSearch>& searches) {
  nlohmann::json cases = nlohmann::json::array();
  for (const auto& [searched, now] : searches) {
    nlohmann::json points = nlohmann::json::array();
    for (const runner::BatchPoint& point : searched.answer.points) {
      points.push_back({{"batch", point.batch},
                        {"outcome", to_string(point.outcome)},
                        {"message", valid_utf8(point.message)},
                        {"samples_per_second", point.samples_per_second}});
    }
    cases.push_back({{"benchmark", valid_utf8(searched.measured.benchmark)},
                     {"configuration", to_string(searched.measured.configuration)},
                     {"size", searched.size},
                     {"precision", searched.precision},
                     {"threads", searched.threads},
                     {"runner", valid_utf8(searched.runner)},
                     {"device", valid_utf8(searched.device)},
                     {"torch", valid_utf8(searched.torch)},
                     {"searched", searched.searched},
                     {"now", now},
                     {"batch", searched.answer.batch},
                     {"ended", to_string(searched.answer.end)},
                     {"why", valid_utf8(searched.answer.why)},
                     {"points", std::move(points)}});
  }
  return cases;
}

void add_suite_batches(CLI::App& suite, Invocation& invocation) {
  auto* command = suite.add_subcommand("batches", "Find the batch size of inference with the highest throughput");
  command->footer(batches_footer);
  auto options = std::make_shared<BatchesOptions>();
  add_subject_option(*command, options->selection);
  add_case_options(*command, options->selection);
  command->add_option("--build", options->build, "Search with this build (default: any that is installed)")
      ->type_name("NAME");
  command
      ->add_option("--file", options->file,
                   "Keep the batch sizes in this file (default: [measure] batch_sizes, else batch-sizes.toml in the "
                   "state folder)")
      ->type_name("FILE");
  command->add_option("--largest", options->search.largest, "Largest batch to try")
      ->type_name("N")
      ->check(whole_number(1, 1 << 19))
      ->capture_default_str();
  command->add_flag("--again", options->again, "Also search cases that the file already has");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return batches(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
