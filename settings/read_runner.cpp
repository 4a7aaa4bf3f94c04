#include "settings/read_runner.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/host_name.hpp"
#include "base/text.hpp"

namespace tbci::settings {

namespace {

bool is_variable(std::string_view name) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, fits);
}

// Why a worker does not get the variable; empty where it does.
std::string why_not_of_workers(const std::string& name) {
  constexpr std::array<std::string_view, 5> by_threads = {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                                          "NUMEXPR_NUM_THREADS", "MKL_DYNAMIC"};
  constexpr std::array<std::string_view, 6> of_tbci = {"LD_PRELOAD", "LD_LIBRARY_PATH",     "HOME", "TMPDIR",
                                                       "PATH",       "CUDA_VISIBLE_DEVICES"};
  constexpr std::array<std::string_view, 6> secrets = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "KEY"};
  const std::string shown = one_line(name, 60);
  if (!is_variable(name)) return fmt::format("'{}' cannot be the name of a variable", shown);
  if (std::ranges::find(by_threads, name) != by_threads.end())
    return fmt::format("{} is set by tbci: write [measure] threads", shown);
  if (std::ranges::find(of_tbci, name) != of_tbci.end()) return fmt::format("{} is set by tbci: leave it out", shown);
  const auto in_name = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (std::ranges::any_of(secrets, in_name))
    return fmt::format("{} sounds like a secret, and what stands here is kept in the database and shown", shown);
  return {};
}

}  // namespace

void read_runner(TomlReader& reader, RunnerConfig& runner) {
  runner.name = reader.text("name", host_name());
  for (auto& [name, value] : reader.text_map("environment")) {
    const std::string why = why_not_of_workers(name);
    if (!why.empty()) reader.refuse("environment", why);
    if (value.empty() || value != one_line(value, 400))
      reader.refuse("environment", fmt::format("{} must be one line of at most 400 bytes", one_line(name, 60)));
    runner.variables[name] = value;
  }
}

}  // namespace tbci::settings
