#include "runner/shell_split.hpp"

#include <cctype>

#include "base/text.hpp"

namespace tbci::runner {
namespace {

constexpr std::string_view blanks = " \t\n";
constexpr std::string_view operators = "|&;<>()`";

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// `$HOME`, `${HOME}`, `$(pwd)`, `$1`. A shell also keeps a dollar before anything else.
bool begins_expansion(std::string_view text) {
  if (text.size() < 2 || text.front() != '$') return false;
  return is_name_character(text[1]) || std::string_view("{(@*#?$!-").find(text[1]) != std::string_view::npos;
}

/// `CFLAGS=-O2`
bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0)
    return false;
  for (const char c : word.substr(0, equals)) {
    if (!is_name_character(c)) return false;
  }
  return true;
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> run() {
    while (at_ < text_.size()) TBCI_TRY(take());
    end_word();
    if (words_.empty()) return fail(ErrorKind::usage, "the command is empty");
    if (words_.front().empty()) return fail(ErrorKind::usage, "the command '{}' does not name a program", shown());
    if (is_assignment(words_.front())) {
      return fail(ErrorKind::usage, "the command '{}' sets a variable before the program: write env {}", shown(),
                  shown());
    }
    return std::move(words_);
  }

 private:
  std::string shown() const { return one_line(text_, 120); }
  std::string_view rest() const { return text_.substr(at_); }

  tl::unexpected<Error> only_a_shell(std::string_view what) const {
    return fail(
        ErrorKind::usage,
        "the command '{1}' contains '{0}', which needs a shell, but tbci runs commands without one: quote it, or "
        "write sh -c '...'",
        what, shown());
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  Status take() {
    const char c = text_[at_];
    if (blanks.find(c) != std::string_view::npos) {
      end_word();
      ++at_;
    } else if (c == '\'') {
      return take_single();
    } else if (c == '"') {
      return take_double();
    } else if (c == '\\') {
      return take_escaped();
    } else if (operators.find(c) != std::string_view::npos) {
      return only_a_shell(std::string_view(&c, 1));
    } else if (begins_expansion(rest())) {
      return only_a_shell("$");
    } else {
      add(c);
      ++at_;
    }
    return {};
  }

  Status take_escaped() {
    if (at_ + 1 >= text_.size())
      return fail(ErrorKind::usage, "the command '{}' ends with a backslash: remove it, or quote it", shown());
    // A backslash at the end of a line joins two lines.
    if (text_[at_ + 1] != '\n') add(text_[at_ + 1]);
    at_ += 2;
    return {};
  }

  Status take_single() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return unclosed('\'');
    word_ += text_.substr(at_ + 1, end - at_ - 1);
    in_word_ = true;
    at_ = end + 1;
    return {};
  }

  Status take_double() {
    in_word_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return {};
      }
      if (c == '`') return only_a_shell("`");
      if (begins_expansion(rest())) return only_a_shell("$");
      const bool escapes = c == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("$`\"\\\n").find(text_[at_ + 1]) != std::string_view::npos;
      if (!escapes) {
        word_ += c;
        continue;
      }
      ++at_;
      if (text_[at_] != '\n') word_ += text_[at_];
    }
    return unclosed('"');
  }

  tl::unexpected<Error> unclosed(char quote) const {
    return fail(ErrorKind::usage, "the command '{}' has an unclosed quote: add the missing {}", shown(), quote);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;  ///< an empty pair of quotes is a word too
};

}  // namespace

Result<std::vector<std::string>> shell_split(std::string_view command) {
  if (command.find('\0') != std::string_view::npos)
    return fail(ErrorKind::usage, "the command contains a null byte: remove it");
  return Splitter(command).run();
}

}  // namespace tbci::runner
