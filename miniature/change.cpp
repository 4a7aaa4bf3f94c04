#include "miniature/change.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace tbci::miniature {
namespace {

constexpr std::string_view kMark = "=== ";

/// Reads one line of the text form after the other.
class Parser {
 public:
  Result<std::vector<Change>> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      TBCI_TRY(take(text.substr(0, end)));
      text.remove_prefix(end);
    }
    for (Change& change : changes_) change.body = trim(change.body);
    return std::move(changes_);
  }

 private:
  Status take(std::string_view line) {
    if (line.starts_with(kMark)) return take_mark(trim(line.substr(kMark.size())));
    if (target_ == nullptr) return fail(ErrorKind::failed, "changes: text before the first section: {}", trim(line));
    target_->append(line);
    return {};
  }

  Status take_mark(std::string_view mark) {
    const std::size_t space = std::min(mark.find(' '), mark.size());
    const std::string_view word = mark.substr(0, space);
    const std::string rest(trim(mark.substr(space)));
    if (word == "fault") return begin_fault(rest);
    if (word == "commit") return begin_commit(rest);
    if (changes_.empty()) return fail(ErrorKind::failed, "changes: '{}' before the first commit", mark);
    std::vector<Edit>& edits = changes_.back().edits;
    if (word == "with" && !edits.empty()) {
      target_ = &edits.back().after;
      return {};
    }
    if (word != "replace" && word != "append") return fail(ErrorKind::failed, "changes: unknown section '{}'", mark);
    Edit& edit = edits.emplace_back();
    edit.path = rest;
    edit.kind = word == "append" ? Edit::Kind::append : Edit::Kind::replace;
    target_ = word == "append" ? &edit.after : &edit.before;
    return {};
  }

  Status begin_commit(const std::string& subject) {
    if (!fault_waits_) changes_.emplace_back();
    fault_waits_ = false;
    changes_.back().subject = subject;
    target_ = &changes_.back().body;
    return {};
  }

  /// `=== fault KIND AMOUNT BENCHMARK,BENCHMARK`
  Status begin_fault(const std::string& rest) {
    const std::vector<std::string> words = split(rest, ' ');
    if (words.size() != 3) return fail(ErrorKind::failed, "changes: fault '{}' is not KIND AMOUNT BENCHMARKS", rest);
    Change& change = changes_.emplace_back();
    change.fault = words[0];
    const char* end = words[1].data() + words[1].size();
    if (std::from_chars(words[1].data(), end, change.amount).ptr != end) {
      return fail(ErrorKind::failed, "changes: the amount '{}' of fault {} is not a number", words[1], words[0]);
    }
    change.benchmarks = split(words[2], ',');
    fault_waits_ = true;
    target_ = nullptr;
    return {};
  }

  std::vector<Change> changes_;
  std::string* target_ = nullptr;
  bool fault_waits_ = false;
};

/// Code gets no line end with a replacement that stands in the middle of a line.
void strip_line_end(Edit& edit) {
  const auto ends = [](const std::string& text) { return text.ends_with('\n'); };
  if (edit.kind == Edit::Kind::replace && ends(edit.before) && ends(edit.after)) {
    edit.before.pop_back();
    edit.after.pop_back();
  }
}

}  // namespace

void replace_all(std::string& text, std::string_view before, std::string_view after) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + after.size())) {
    text.replace(at, before.size(), after);
  }
}

Result<std::vector<Change>> parse_changes(std::string_view text) {
  TBCI_ASSIGN(std::vector<Change> changes, Parser().parse(text));
  for (Change& change : changes) {
    std::for_each(change.edits.begin(), change.edits.end(), strip_line_end);
  }
  return changes;
}

Status apply_change(const Change& change, Tree& tree) {
  for (const Edit& edit : change.edits) {
    const auto file = tree.find(edit.path);
    if (file == tree.end()) return fail(ErrorKind::failed, "commit '{}': no file {}", change.subject, edit.path);
    std::string& text = file->second;
    if (edit.kind == Edit::Kind::append) {
      text += edit.after;
      continue;
    }
    const std::size_t at = text.find(edit.before);
    if (at == std::string::npos || text.find(edit.before, at + 1) != std::string::npos) {
      return fail(ErrorKind::failed, "commit '{}': the text that it replaces does not occur exactly once in {}",
                  change.subject, edit.path);
    }
    text.replace(at, edit.before.size(), edit.after);
  }
  return {};
}

Change reversed(const Change& change, std::string subject, std::string body) {
  Change result;
  result.subject = std::move(subject);
  result.body = std::move(body);
  result.edits.assign(change.edits.rbegin(), change.edits.rend());
  for (Edit& edit : result.edits) std::swap(edit.before, edit.after);
  return result;
}

Change with_strength(Change fault, double strength) {
  const double value = fault.amount * strength;
  const std::string whole = fmt::format("{}", std::max<long long>(1, std::llround(value)));
  const std::string real = fmt::format("{:.6f}", value);
  for (Edit& edit : fault.edits) {
    replace_all(edit.after, "{{amount}}", whole);
    replace_all(edit.after, "{{real}}", real);
  }
  return fault;
}

}  // namespace tbci::miniature
