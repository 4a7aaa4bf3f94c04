#include "detect/predict/matched_calls.hpp"

#include <algorithm>

#include "tests/catch.hpp"

namespace tbci::matched_calls_test {

using detect::MatchedCalls;
using detect::RecordedIteration;
using Partners = std::vector<std::ptrdiff_t>;

namespace {

// `a(b c(d)) e`: calls by one letter, with those that they make in parentheses. A digit changes the lane.
RecordedIteration calling(const std::string& text) {
  RecordedIteration recorded;
  std::vector<std::size_t> open;
  std::size_t lane = 0;
  for (const char letter : text) {
    if (letter == ' ') continue;
    if (letter >= '0' && letter <= '9') {
      lane = static_cast<std::size_t>(letter - '0');
    } else if (letter == '(') {
      open.push_back(recorded.calls.size() - 1);
    } else if (letter == ')') {
      recorded.calls[open.back()].end = recorded.calls.size();
      open.pop_back();
    } else {
      detect::RecordedCall call;
      call.name = letter;
      call.lane = lane;
      call.end = recorded.calls.size() + 1;
      if (!open.empty()) call.parent = static_cast<std::ptrdiff_t>(open.back());
      recorded.calls.push_back(call);
    }
  }
  return recorded;
}

MatchedCalls matched(const std::string& one, const std::string& other) {
  return detect::match_calls(calling(one), calling(other));
}

}  // namespace

TEST_CASE("Matched calls: the same calls are matched one by one, as deep as they go", "[detect]") {
  const MatchedCalls same = matched("a(b c(d)) e", "a(b c(d)) e");
  CHECK(same.partner == Partners{0, 1, 2, 3, 4});
  CHECK(std::ranges::count(same.differs_inside, true) == 0);
}

TEST_CASE("Matched calls: a call that makes other calls differs inside, and what follows it is still matched",
          "[detect]") {
  const MatchedCalls other = matched("a(z(f)) e(g)", "a(z) e(g)");  // zero_ with fill_, and without
  CHECK(other.partner == Partners{0, 1, -1, 2, 3});
  CHECK(other.differs_inside == std::vector<bool>{false, true, false, false, false});
}

TEST_CASE("Matched calls: a call that one batch alone makes has no partner, and those around it have", "[detect]") {
  CHECK(matched("a b c d", "a c d").partner == Partners{0, -1, 1, 2});
  CHECK(matched("a c d", "a b c d").partner == Partners{0, 2, 3});
  CHECK(matched("a b(x) c d", "q a c e d").partner == Partners{1, -1, -1, 2, 4});
  CHECK(matched("a", "b").partner == Partners{-1});
  CHECK(matched("a", "").partner == Partners{-1});
}

TEST_CASE("Matched calls: each lane is matched for itself", "[detect]") {
  CHECK(matched("a b 1 a", "a b 1 b a").partner == Partners{0, 1, 3});
  CHECK(matched("a 1 a", "a").partner == Partners{0, -1});
}

TEST_CASE("Matched calls: nesting of any depth is followed, and a long stretch that differs is left", "[detect]") {
  std::string deep;
  for (int i = 0; i < 50000; ++i) deep += "a(";
  deep += "a" + std::string(50000, ')');
  CHECK(matched(deep, deep).partner.back() == 50000);
  const std::string ours = "x" + std::string(2500, 'a') + "y", theirs = "x" + std::string(2500, 'b') + "y";
  const MatchedCalls none = matched(ours, theirs);
  CHECK(std::ranges::count(none.partner, -1) == 2500);
  CHECK(none.partner.back() == 2501);
}

TEST_CASE("Matched calls: of a stretch that is too long and differs, none has a partner", "[detect]") {
  const auto partners = [](std::size_t length) {
    std::string ours, theirs = "y";
    for (std::size_t i = 0; i < length; ++i) ours += i % 2 == 0 ? 'a' : 'b';
    theirs += ours.substr(2) + "z";
    const MatchedCalls calls = matched(ours, theirs);
    return std::ranges::count_if(calls.partner, [](std::ptrdiff_t each) { return each >= 0; });
  };
  CHECK(partners(2000) == 1998);
  CHECK(partners(2001) == 0);
}

}  // namespace tbci::matched_calls_test
