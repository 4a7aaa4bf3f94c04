#include "suite/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "suite/learning/learn.hpp"

namespace tbci::suite {
namespace {

// Reads all of `text` as a number from `least` to `most`.
template <class Number>
std::optional<Number> number(const std::string& text, Number least, Number most) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < least || value > most) return std::nullopt;
  return value;
}

template <class Number>
bool read(const std::string& text, Number least, Number most, Number& into) {
  const auto value = number(text, least, most);
  if (value) into = *value;
  return value.has_value();
}

template <class Time>
bool read_time(const std::string& text, Time& into) {
  const auto time = number(text, 0, 1000000000);
  if (time) into = std::chrono::milliseconds(*time);
  return time.has_value();
}

UsageError bad_value(const std::string& option, const std::string& value, const std::string& wanted) {
  return {option + " must be " + wanted + ", not '" + value + "'"};
}

bool set_configuration(RunOptions& run, const std::string& value) {
  for (const Configuration& each : all_configurations) {
    if (each.name == value) {
      run.configuration = each;
      return true;
    }
  }
  return false;
}

bool set_precision(RunOptions& run, const std::string& value) {
  for (const NamedPrecision& each : all_precisions) {
    if (each.name == value) {
      run.precision = each.precision;
      return true;
    }
  }
  return false;
}

bool set_backend(RunOptions& run, const std::string& value) {
  for (const NamedBackend& each : all_backends) {
    if (each.name == value) {
      run.backend = each.backend;
      return true;
    }
  }
  return false;
}

bool set_variant(RunOptions& run, const std::string& value) {
  for (const NamedVariant& each : all_variants) {
    if (each.name == value) {
      run.variant = each.variant;
      return true;
    }
  }
  return false;
}

bool set_choice(RunOptions& run, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == value.size()) return false;
  return run.chosen.emplace(value.substr(0, equals), value.substr(equals + 1)).second;
}

// An option that takes a value of this kind. `set` returns whether the value fits.
struct Setting {
  std::string_view option;
  std::string_view wanted;
  bool (*set)(RunOptions& run, const std::string& value);
};

constexpr int most_iterations = 1000000;
constexpr Setting all_settings[] = {
    {"--benchmark", "a name",
     [](RunOptions& run, const std::string& value) {
       run.benchmark = value;
       return true;
     }},
    {"--configuration", "one of cpu-train, cpu-infer, gpu-train, gpu-infer", set_configuration},
    {"--size", "ci or paper",
     [](RunOptions& run, const std::string& value) {
       run.size = value == "paper" ? Size::paper : Size::ci;
       return value == "ci" || value == "paper";
     }},
    {"--precision", "one of fp32, pytorch, tf32, fp16, bf16, amp", set_precision},
    {"--backend", "one of eager, jit, jit-frozen, onednn-graph, channels-last, aoti", set_backend},
    {"--package", "the file of a package of AOTInductor",
     [](RunOptions& run, const std::string& value) {
       run.package = value;
       return !value.empty();
     }},
    {"--variant", "one that tbci-worker list --variants shows", set_variant},
    {"--set", "NAME=VALUE, each name once", set_choice},
    {"--batch", "a whole number from 1 to 1000000",
     [](RunOptions& run, const std::string& value) {
       run.batch = number<std::int64_t>(value, 1, most_iterations);
       return run.batch.has_value();
     }},
    {"--warmup", "a whole number from 0 to 1000000",
     [](RunOptions& run, const std::string& value) { return read(value, 0, most_iterations, run.warmup); }},
    {"--warmup-milliseconds", "a whole number from 0 to 1000000000",
     [](RunOptions& run, const std::string& value) { return read_time(value, run.warmup_time); }},
    {"--iterations", "a whole number from 1 to 1000000",
     [](RunOptions& run, const std::string& value) { return read(value, 1, most_iterations, run.iterations); }},
    {"--threads", "a whole number from 1 to 1024",
     [](RunOptions& run, const std::string& value) { return read(value, 1, 1024, run.threads); }},
    {"--ranks", "a whole number from 1 to 16",
     [](RunOptions& run, const std::string& value) {
       run.ranks = number(value, 1, 16);
       return run.ranks.has_value();
     }},
    {"--seed", "a whole number from 0 to 2^64-1",
     [](RunOptions& run, const std::string& value) { return read<std::uint64_t>(value, 0, UINT64_MAX, run.seed); }},
    {"--models", "a folder of exported models",
     [](RunOptions& run, const std::string& value) {
       run.models = value;
       return !value.empty();
     }},
    {"--leak-iterations", "a whole number from 0 to 100000",
     [](RunOptions& run, const std::string& value) { return read(value, 0, most_grown, run.growth.iterations); }},
    {"--leak-milliseconds", "a whole number from 0 to 1000000000",
     [](RunOptions& run, const std::string& value) { return read_time(value, run.growth.time); }},
    {"--gpu-traced", "a whole number from 0 to 1000",
     [](RunOptions& run, const std::string& value) { return read(value, 0, 1000, run.gpu_traced); }},
    {"--alternate", "first or second",
     [](RunOptions& run, const std::string& value) {
       run.alternate = value == "first" ? Alternate::first : Alternate::second;
       return value == "first" || value == "second";
     }},
    {"--preload", "the path of a shared library",
     [](RunOptions& run, const std::string& value) {
       run.preload.push_back(value);
       return !value.empty();
     }},
};

std::optional<UsageError> set(RunOptions& run, const std::string& option, const std::string& value) {
  for (const Setting& one : all_settings) {
    if (one.option != option) continue;
    if (one.set(run, value)) return std::nullopt;
    if (option == "--variant")
      return UsageError{"there is no variant '" + value + "'; the nearest name is '" +
                        std::string(nearest_variant(value)) + "' (tbci-worker list --variants shows all)"};
    return bad_value(option, value, std::string(one.wanted));
  }
  return UsageError{"unknown option '" + option + "' (see tbci-worker --help)"};
}

// Of learn alone.
bool is_of_learning(const std::string& option) {
  return option == "--over" || option == "--amount" || option == "--weights";
}

std::optional<UsageError> set_learning(LearnOptions& learn, const std::string& option, const std::string& value) {
  if (option == "--over") {
    const auto& ways = learning::all_ways;
    if (std::find(std::begin(ways), std::end(ways), value) == std::end(ways))
      return bad_value(option, value, "one of samples, parameters, compute");
    learn.over = value;
  } else if (option == "--amount") {
    constexpr std::int64_t most_amount = 1000000000000000;
    if (!read<std::int64_t>(value, 1, most_amount, learn.amount))
      return bad_value(option, value, "a whole number from 1 to 10^15");
  } else {
    if (value != "fp32" && value != "bf16") return bad_value(option, value, "fp32 or bf16");
    learn.rounded = value == "bf16";
  }
  return std::nullopt;
}

std::optional<UsageError> check_protocol(const std::string& value) {
  const auto asked = number(value, 0, 1000000);
  if (!asked) return bad_value("--protocol", value, "a whole number");
  if (*asked == protocol_version) return std::nullopt;
  return UsageError{"protocol " + value + " was asked for, but this worker speaks protocol " +
                    std::to_string(protocol_version) + "; build the suite that belongs to the program asking"};
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    return UsageError{
        "a command is missing: list, run, operators, profile, timeline, graph, trace, learn, environment or peaks (see "
        "tbci-worker --help)"};
  const std::string& command = arguments[0];
  if (command == "--help" || command == "-h" || command == "help") return HelpOptions{};
  if (command != "list" && command != "run" && command != "operators" && command != "profile" &&
      command != "timeline" && command != "graph" && command != "trace" && command != "learn" &&
      command != "environment" && command != "peaks" && command != "rank") {
    return UsageError{"unknown command '" + command +
                      "': use list, run, operators, profile, timeline, graph, trace, learn, environment or peaks"};
  }

  RunOptions run;
  std::string out;
  LearnOptions learn;
  int rank = 0;
  bool has_configuration = false, variants = false;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string& option = arguments[i];
    if (option == "--help") return HelpOptions{};
    if (command == "list" && option == "--variants") {
      variants = true;
      --i;  // it takes no value
      continue;
    }
    if (i + 1 == arguments.size()) return UsageError{"a value is missing after '" + option + "'"};
    const std::string& value = arguments[i + 1];
    std::optional<UsageError> error;
    if (option == "--protocol") {
      error = check_protocol(value);
    } else if (command == "list" && option != "--models") {
      error = UsageError{"list takes no option '" + option + "'"};
    } else if ((command == "environment" || command == "peaks") && option != "--threads" && option != "--preload") {
      error = UsageError{command + " takes no option '" + option + "', only --threads and --preload"};
    } else if (command == "trace" && option == "--out") {
      out = value;
    } else if (command == "learn" && is_of_learning(option)) {
      error = set_learning(learn, option, value);
    } else if (command == "rank" && option == "--rank") {
      if (!read(value, 1, 15, rank)) error = bad_value(option, value, "a whole number from 1 to 15");
    } else {
      error = set(run, option, value);
      has_configuration = has_configuration || option == "--configuration";
    }
    if (error) return *error;
  }
  if (command == "list" && variants && !run.models.empty())
    return UsageError{"list takes --models or --variants, not both: variants are of the native models"};
  if (command == "list") return ListOptions{run.models, variants};
  if (command == "environment") return EnvironmentOptions{run};
  if (command == "peaks") return PeaksOptions{run};
  if (run.benchmark.empty()) return UsageError{command + " needs --benchmark NAME (tbci-worker list shows them)"};
  if (!has_configuration) return UsageError{command + " needs --configuration (such as cpu-infer)"};
  if (run.backend == Backend::aoti && run.package.empty())
    return UsageError{"--backend aoti needs --package FILE, made of what tbci-worker trace writes"};
  if (run.variant != Variant::none && (run.backend != Backend::eager || !run.models.empty()))
    return UsageError{"--variant is for native models in eager: leave out --backend and --models"};
  if (command == "trace" && out.empty()) return UsageError{"trace needs --out FILE"};
  if (command == "trace" && (run.backend != Backend::eager || run.configuration.mode != Mode::infer))
    return UsageError{"trace records eager inference: leave out --backend, and choose cpu-infer or gpu-infer"};
  if (command == "trace") return TraceOptions{run, out};
  if (command == "learn" && (learn.over.empty() || learn.amount == 0))
    return UsageError{"learn needs --over samples|parameters|compute and --amount N"};
  if (command == "learn") return LearnOptions{run, learn.over, learn.amount, learn.rounded};
  if (command == "rank" && (rank == 0 || !run.ranks)) return UsageError{"rank needs --rank and --ranks"};
  if (command == "rank") return RankOptions{run, rank};
  if (command == "operators") return OperatorsOptions{run};
  if (command == "profile") return ProfileOptions{run};
  if (command == "timeline") return TimelineOptions{run};
  if (command == "graph") return GraphOptions{run};
  return run;
}

std::string usage() {
  return "tbci-worker list [--protocol 1] [--models FOLDER | --variants]\n"
         "tbci-worker run --benchmark B --configuration cpu-train|cpu-infer|gpu-train|gpu-infer\n"
         "                [--protocol 1] [--size ci|paper] [--batch N] [--warmup 3] [--iterations 10]\n"
         "                [--precision fp32|pytorch|tf32|fp16|bf16|amp] [--threads 1] [--seed 42] [--preload "
         "LIBRARY]...\n"
         "                [--leak-iterations 0] [--leak-milliseconds 500] [--models FOLDER]\n"
         "                [--alternate first|second]\n"
         "                [--backend eager|jit|jit-frozen|onednn-graph|channels-last|aoti] [--package FILE]\n"
         "                [--variant NAME] [--set NAME=VALUE]... [--ranks N]\n"
         "tbci-worker operators ...\n"
         "                takes the options of run; prints which operators one iteration calls, without measuring\n"
         "tbci-worker profile ...\n"
         "                takes the options of run; prints how an iteration's time divides among its operators\n"
         "tbci-worker trace ... --out FILE\n"
         "                takes the options of run; writes the traced iteration (TorchScript) and FILE.inputs, of "
         "which\n"
         "                torch._inductor makes the package of --backend aoti\n"
         "tbci-worker timeline ...\n"
         "                takes the options of run; prints the calls of its iterations one by one\n"
         "tbci-worker graph ...\n"
         "                takes the options of run; prints the calls of one iteration, and what waits for what\n"
         "tbci-worker learn ... --over samples|parameters|compute --amount N [--weights fp32|bf16]\n"
         "                takes the options of run; trains a click model and prints its loss beside the least "
         "possible;\n"
         "                bf16: a fault for tests, weights are rounded after each step\n"
         "tbci-worker environment [--protocol 1] [--threads 1] [--preload LIBRARY]...\n"
         "                prints which libraries are loaded and what LibTorch reports about itself\n"
         "tbci-worker peaks [--protocol 1] [--threads 1] [--preload LIBRARY]...\n"
         "                prints what the CPU, and the GPU if there is one, do at best\n"
         "--models FOLDER: use the exported models in this folder (NAME.pt, NAME.pt2, with NAME.inputs.pt) instead of "
         "the native ones.\n"
         "--variant: the model before or after a patch of the TorchBench paper (list --variants), never measured by a "
         "night.\n"
         "--set: what a model offers (\"choices\" of list), such as the size of a cache.\n"
         "--ranks: the processes that share the work of a benchmark that has ranks (\"ranks\" of list), a CPU each.\n"
         "--alternate: iterate in turn with another worker; the standard input is a socket that the two share.\n"
         "Prints one JSON object per line. Exit codes: 0 done, 2 wrong usage, 3 an error line was printed.\n";
}

}  // namespace tbci::suite
