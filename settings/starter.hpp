// The first configuration of a new user: a shipped one with that person's choices in it. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::settings {

struct StarterChoices {
  std::filesystem::path state;
  std::string index;                    ///< address of the package index; empty: what pip is configured with
  bool releases = false;                ///< the releases of the index in place of its nightlies
  bool allow_cuda = false;              ///< wheels that bring CUDA are taken for measuring on the CPU as well
  bool bisects = true;                  ///< false: without a repository, nothing is rebuilt
  std::string repository;               ///< where the commits come from
  std::vector<std::string> benchmarks;  ///< empty: all
  std::vector<std::string> families;    ///< of those benchmarks: what the worker is built with
  std::string issues;                   ///< owner/name on GitHub; empty: reports go to a folder
  std::string token_file;               ///< of that repository; empty: the systemd credential `github-token`
};

/// `shipped`: the text of `configs/pytorch-cpu.toml` or `pytorch-cuda.toml`, whose comments stay. The answer is a
/// configuration that parse_config accepts. Error (failed) where the shipped text has no place for a choice, `usage`
/// where a choice makes no valid configuration; it names the key.
Result<std::string> starter_config(const std::string& shipped, const StarterChoices& choices);

}  // namespace tbci::settings
