// tbci-miniature: makes the subject in miniature.
#include <cstdio>

#include "miniature/command_line.hpp"
#include "miniature/generate.hpp"

namespace {

using tbci::miniature::Truth;

int report(const tbci::Error& error) {
  fmt::print(stderr, "tbci-miniature: {}\n", error.message);
  return error.kind == tbci::ErrorKind::usage ? 2 : 1;
}

void print(const Truth& truth) {
  fmt::print("{} commits in {}\n", truth.commits.size(), truth.repository.string());
  for (const auto& nightly : truth.nightlies) fmt::print("nightly {}  {}\n", nightly.day, nightly.commit);
  for (const auto& culprit : truth.culprits) {
    fmt::print("culprit {}  {} at position {} of {}, strength {}\n", culprit.commit, culprit.fault, culprit.position,
               culprit.day, culprit.strength);
  }
}

}  // namespace

int main(int count, char** values) {
  const auto command = tbci::miniature::parse_command_line(std::vector<std::string>(values + 1, values + count));
  if (!command) return report(command.error());
  if (!command->help.empty()) {
    fmt::print("{}", command->help);
    return 0;
  }
  const auto truth = tbci::miniature::generate(command->options, command->directory);
  if (!truth) return report(truth.error());
  if (command->json) {
    fmt::print("{}\n", tbci::miniature::to_json(*truth));
  } else {
    print(*truth);
  }
  return 0;
}
