// tbci-worker: measures one model of the suite with the LibTorch that it loads.
#include <cstdio>
#include <string>
#include <vector>

#include "suite/options.hpp"
#include "suite/protocol.hpp"
#include "suite/ranks/follow.hpp"
#include "suite/run.hpp"

int main(int argc, char** argv) {
  using namespace tbci::suite;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Options options = parse_options(arguments);
  if (const auto* wrong = std::get_if<UsageError>(&options)) {
    std::fprintf(stderr, "tbci-worker: %s\n", wrong->message.c_str());
    return exit_usage;
  }
  if (std::holds_alternative<HelpOptions>(options)) {
    std::fputs(usage().c_str(), stdout);
    return exit_done;
  }
  Protocol protocol(claim_standard_output());
  if (const auto* run = std::get_if<RunOptions>(&options)) return run_benchmark(*run, protocol);
  if (const auto* operators = std::get_if<OperatorsOptions>(&options)) return tell_operators(operators->run, protocol);
  if (const auto* profile = std::get_if<ProfileOptions>(&options)) return profile_benchmark(profile->run, protocol);
  if (const auto* traced = std::get_if<TraceOptions>(&options)) return trace_benchmark(*traced, protocol);
  if (const auto* timeline = std::get_if<TimelineOptions>(&options)) return record_benchmark(timeline->run, protocol);
  if (const auto* learned = std::get_if<LearnOptions>(&options)) return learn_clicks(*learned, protocol);
  if (const auto* graph = std::get_if<GraphOptions>(&options)) return tell_graph(graph->run, protocol);
  if (const auto* asked = std::get_if<EnvironmentOptions>(&options)) return tell_environment(asked->run, protocol);
  if (const auto* peaks = std::get_if<PeaksOptions>(&options)) return tell_peaks(peaks->run, protocol);
  if (const auto* rank = std::get_if<RankOptions>(&options)) return ranks::follow(*rank);
  return list_benchmarks(std::get<ListOptions>(options), protocol);
}
