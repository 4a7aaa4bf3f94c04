// A virtual environment of Python that holds one nightly.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

struct Venv {
  std::filesystem::path folder;

  std::filesystem::path python() const { return folder / "bin/python"; }
  /// Written last: a venv without it is incomplete. (A venv contains its own path, so it cannot be renamed into place.)
  std::filesystem::path marker() const { return folder / ".complete"; }
  /// Marks it as complete. `unpacker`: who unpacked its wheels, `uv 0.13.9` or `pip`.
  Status complete(const std::string& requirement, const std::string& unpacker) const;
  /// Who unpacked its wheels; empty: it is incomplete, or an older tbci made it.
  std::string unpacker() const;
  /// `site-packages`, where its packages lie. Error (failed) where there is none.
  Result<std::filesystem::path> packages() const;
};

/// The folder `torch` of a venv. Error (failed) where nothing was installed of that name.
Result<std::filesystem::path> find_torch(const Venv& venv);

}  // namespace tbci::runner
