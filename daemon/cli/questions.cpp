#include "daemon/cli/questions.hpp"

#include <istream>
#include <ostream>

#include "base/text.hpp"

namespace tbci::daemon {

Result<std::string> Questions::ask(const std::string& question, const std::string& standard,
                                   const AnswerCheck& complaint) {
  if (!asks_) {
    if (const std::string why = complaint(standard); !why.empty()) return fail(ErrorKind::usage, "{}", why);
    return standard;
  }
  while (true) {
    out_ << question << (standard.empty() ? "" : " [" + standard + "]") << ": " << std::flush;
    std::string line;
    if (!std::getline(answers_, line)) return fail(ErrorKind::usage, "no answer to '{}'", question);
    const std::string answer(trim(line));
    const std::string chosen = answer.empty() ? standard : answer;
    const std::string why = complaint(chosen);
    if (why.empty()) return chosen;
    out_ << "  " << why << '\n';
  }
}

}  // namespace tbci::daemon
