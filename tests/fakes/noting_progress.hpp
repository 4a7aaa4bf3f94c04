// Keeps the notes that the program makes, and nothing else of its progress.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"

namespace tbci::test {

class NotingProgress final : public Progress {
 public:
  std::vector<std::string> notes;
  void begin_stage(std::string_view, std::string_view, int) override {}
  void step(std::string_view) override {}
  void expect(int) override {}
  void end_stage(std::string_view) override {}
  void note(std::string_view text) override { notes.emplace_back(text); }
};

}  // namespace tbci::test
