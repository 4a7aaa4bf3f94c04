// A Python whose `-m venv` copies one that was made before: with pip in it, that takes seconds, and a test makes a few.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "base/process.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

/// A script that is called as `python3 -I ...`, and is it in all else. bin/pip is that of the one that was copied.
inline std::string python_with_quick_venvs() {
  static const TemporaryDirectory folder;
  const std::filesystem::path script = folder / "python3", pattern = folder / "pattern";
  if (std::filesystem::exists(script)) return script.string();
  Command command;
  command.arguments = {"python3", "-I", "-m", "venv", pattern.string()};
  SystemProcessRunner processes;
  REQUIRE(processes.run(command, {}).value().succeeded());
  const std::string text = "#!/bin/sh\n[ \"$2 $3\" = '-m venv' ] || exec python3 \"$@\"\nmkdir -p \"$4\" && cp -a '" +
                           pattern.string() + "/.' \"$4\"\n";
  REQUIRE(write_file_atomically(script, text));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script.string();
}

}  // namespace tbci::test
