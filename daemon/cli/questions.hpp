// Asks a person, one question a line.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/result.hpp"

namespace tbci::daemon {

/// Why an answer will not do; empty: it will.
using AnswerCheck = std::function<std::string(const std::string&)>;

class Questions {
 public:
  /// `asks`: false: each question is answered by its default, and nothing is printed.
  Questions(std::istream& answers, std::ostream& out, bool asks) : answers_(answers), out_(out), asks_(asks) {}

  /// The answer, or `standard` for an empty line. Asks again while the check has a complaint. Error (usage): there are
  /// no more answers, or the default itself will not do where nothing is asked.
  Result<std::string> ask(const std::string& question, const std::string& standard, const AnswerCheck& complaint);

 private:
  std::istream& answers_;
  std::ostream& out_;
  bool asks_;
};

}  // namespace tbci::daemon
