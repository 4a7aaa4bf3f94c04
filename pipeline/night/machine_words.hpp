// Takes out of a text what names the machine: its host name, its name as a runner, and the folder of its state. Pure;
// safe from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::pipeline {

class MachineWords {
 public:
  /// `names` count as whole words, the others as the beginning of a path. Names of one letter stay: they
  /// stand for anything.
  MachineWords(std::vector<std::string> names, const std::filesystem::path& state);

  /// `(host)` in place of the names, and `(state)` in place of the folder.
  std::string without(std::string_view text) const;

 private:
  std::vector<std::string> names_;
  std::string state_;
};

}  // namespace tbci::pipeline
