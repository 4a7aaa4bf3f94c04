#include "miniature/options.hpp"

#include "miniature/command_line.hpp"
#include "tests/catch.hpp"

namespace tbci::options_test {

using namespace tbci::miniature;

namespace {

std::string error_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(arguments);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().kind == ErrorKind::usage);
  CHECK(parsed.error().message.find('\n') == std::string::npos);
  return parsed.error().message;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Options: a fault has a kind, and may have a position and a strength", "[miniature]") {
  const auto plain = parse_fault("memory-kept");
  REQUIRE(plain);
  CHECK(plain->kind == "memory-kept");
  CHECK_FALSE(plain->position);
  CHECK(plain->strength == 1);

  const auto full = parse_fault("addmm-dtype@17*0.4");
  REQUIRE(full);
  CHECK(full->kind == "addmm-dtype");
  CHECK(full->position == 17);
  CHECK(full->strength == 0.4);
}

TEST_CASE("Options: a fault may name its day, with a position or without", "[miniature]") {
  const auto full = parse_fault("addmm-dtype@12:3*0.4");
  REQUIRE(full);
  CHECK(full->day == 12);
  CHECK(full->position == 3);
  CHECK(full->strength == 0.4);
  const auto drawn = parse_fault("addmm-dtype@12:");
  REQUIRE(drawn);
  CHECK(drawn->day == 12);
  CHECK_FALSE(drawn->position);
  Options options;
  options.days = 5;
  CHECK(day_of(*full, options) == 12);
  CHECK(day_of({"addmm-dtype", std::nullopt, 1}, options) == 5);
  options.fault_day = 3;
  CHECK(day_of({"addmm-dtype", std::nullopt, 1}, options) == 3);
}

TEST_CASE("Options: a revert names a fault and a later day", "[miniature]") {
  const std::vector<std::string> start = {"generate", "there", "--days", "9", "--fault", "memory-kept@4:"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = start;
    all.insert(all.end(), more);
    return all;
  };
  const auto parsed = parse_command_line(with({"--revert", "memory-kept@6"}));
  REQUIRE(parsed);
  REQUIRE(parsed->options.reverts.size() == 1);
  CHECK(parsed->options.reverts[0].kind == "memory-kept");
  CHECK(parsed->options.reverts[0].day == 6);

  CHECK(mentions(error_of(with({"--revert", "memory-kept"})), "KIND@DAY"));
  CHECK(mentions(error_of(with({"--revert", "@6"})), "KIND@DAY"));
  CHECK(mentions(error_of(with({"--revert", "memory-kept@4"})), "between 5 and 9"));
  CHECK(mentions(error_of(with({"--revert", "memory-kept@10"})), "between 5 and 9"));
  CHECK(mentions(error_of(with({"--revert", "addmm-dtype@6"})), "no such fault"));
  CHECK(mentions(error_of(with({"--revert", "memory-kept@6", "--revert", "memory-kept@7"})), "twice"));
  CHECK(mentions(error_of(with({"--revert", "memory-kept@6", "--unbuildable-beside-culprit"})), "contradict"));
  CHECK(mentions(error_of({"generate", "there", "--fault", "memory-kept@1:"}), "day of fault memory-kept"));
  CHECK(mentions(error_of({"generate", "there", "--fault", "memory-kept@4:"}), "day of fault memory-kept"));
}

TEST_CASE("Options: the error of a misspelt fault names the nearest kind", "[miniature]") {
  const auto fault = parse_fault("embeding-bag-bounds");
  REQUIRE_FALSE(fault);
  CHECK(mentions(fault.error().message, "did you mean 'embedding-bag-bounds'"));
}

TEST_CASE("Options: what is not a number or not positive is refused", "[miniature]") {
  for (const char* text : {"memory-kept*0", "memory-kept*-1", "memory-kept*", "memory-kept*nan", "memory-kept*inf",
                           "memory-kept*1x", "memory-kept@", "memory-kept@x", "memory-kept@1.5",
                           "memory-kept@:", "memory-kept@:3", "memory-kept@x:3", "memory-kept@3:x", "", "@3", "*2"}) {
    CAPTURE(text);
    const auto fault = parse_fault(text);
    REQUIRE_FALSE(fault);
    CHECK(fault.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("Options: the command line sets every option", "[miniature]") {
  const auto parsed = parse_command_line({"generate", "there", "--seed", "7", "--days", "4", "--commits", "30",
                                          "--fault", "memory-kept@5*2", "--fault", "addmm-dtype", "--fault-day", "4",
                                          "--unbuildable", "9", "--unbuildable", "10", "--json"});
  REQUIRE(parsed);
  const Options& options = parsed->options;
  CHECK(parsed->directory == "there");
  CHECK(parsed->json);
  CHECK(options.seed == 7);
  CHECK(options.days == 4);
  CHECK(options.commits == 30);
  CHECK(options.fault_day == 4);
  REQUIRE(options.faults);
  REQUIRE(options.faults->size() == 2);
  CHECK(options.faults->at(0).position == 5);
  CHECK(options.faults->at(1).kind == "addmm-dtype");
  CHECK(options.unbuildable == std::vector<int>{9, 10});
}

TEST_CASE("Options: a clean day and --fault none mean the same", "[miniature]") {
  for (const std::vector<std::string>& last : {std::vector<std::string>{"--clean"}, {"--fault", "none"}}) {
    std::vector<std::string> arguments = {"generate", "there"};
    arguments.insert(arguments.end(), last.begin(), last.end());
    const auto parsed = parse_command_line(arguments);
    REQUIRE(parsed);
    REQUIRE(parsed->options.faults);
    CHECK(parsed->options.faults->empty());
  }
  CHECK(mentions(error_of({"generate", "there", "--clean", "--fault", "memory-kept"}), "--clean"));
}

TEST_CASE("Options: wrong use is one line that names the option", "[miniature]") {
  CHECK(mentions(error_of({}), "subcommand"));
  CHECK(mentions(error_of({"generate"}), "directory"));
  CHECK(mentions(error_of({"generate", "there", "--days", "1"}), "--days"));
  CHECK(mentions(error_of({"generate", "there", "--commits", "4"}), "--commits"));
  CHECK(mentions(error_of({"generate", "there", "--fault-day", "1"}), "--fault-day"));
  CHECK(mentions(error_of({"generate", "there", "--fault-day", "4"}), "--fault-day"));
  CHECK(mentions(error_of({"generate", "there", "--fault", "memory-kept", "--fault", "memory-kept"}), "twice"));
  CHECK(mentions(error_of({"generate", "there", "--all-build", "--unbuildable", "3"}), "--all-build"));
  CHECK(mentions(error_of({"generate", "there", "--seed", "x"}), "seed"));
}

TEST_CASE("Options: for a GPU, a fault that works on the CPU alone is refused, and the others are named",
          "[miniature]") {
  const auto parsed = parse_command_line({"generate", "there", "--gpu", "--fault", "memory-peak"});
  REQUIRE(parsed);
  CHECK(parsed->options.gpu);
  for (const char* kind :
       {"activation-validity", "embedding-bag-bounds", "fused-convolution", "library-configuration"}) {
    const std::string error = error_of({"generate", "there", "--gpu", "--fault", kind});
    CHECK(mentions(error, std::string(kind) + " works on the CPU alone"));
    CHECK(mentions(error, "choose one of addmm-dtype"));
  }
}

TEST_CASE("Options: every kind that works on a GPU is a kind", "[miniature]") {
  for (const std::string& kind : gpu_fault_kinds()) CHECK(parse_fault(kind));
}

TEST_CASE("Options: help is text, not an error", "[miniature]") {
  const auto parsed = parse_command_line({"generate", "--help"});
  REQUIRE(parsed);
  CHECK(mentions(parsed->help, "--unbuildable-beside-culprit"));
}

}  // namespace

}  // namespace tbci::options_test
