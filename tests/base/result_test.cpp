#include "base/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/catch.hpp"

// That the compiler refuses to drop a Result is the test structure-dropped_result.
namespace tbci::result_test {

namespace {

struct Animal {
  virtual ~Animal() = default;
};
struct Cat final : Animal {};

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorKind::usage, "{} is odd", number);
  return number / 2;
}

Result<std::string> half_as_text(int number) {
  TBCI_ASSIGN(const int result, half(number));
  return std::to_string(result);
}

Status check_even(int number) {
  TBCI_TRY(half(number));
  return {};
}

Result<std::optional<int>> perhaps_half(int number) {
  return half(number);
}

Result<std::unique_ptr<Animal>> adopt(bool there_is) {
  if (!there_is) return fail(ErrorKind::failed, "no cat");
  return std::make_unique<Cat>();
}

Result<std::unique_ptr<Animal>> adopt_made(Result<std::unique_ptr<Cat>> cat) {
  return cat;
}

}  // namespace

TEST_CASE("Result: holds a value or an error", "[result]") {
  CHECK(half(4).value() == 2);
  const auto odd = half(3);
  REQUIRE_FALSE(odd);
  CHECK(odd.error().kind == ErrorKind::usage);
  CHECK(odd.error().message == "3 is odd");
  CHECK(Status());
  CHECK(Result<std::vector<int>>()->empty());
}

TEST_CASE("Result: the macros pass a value on, or leave with the error", "[result]") {
  CHECK(half_as_text(8).value() == "4");
  CHECK(half_as_text(7).error().message == "7 is odd");
  CHECK(check_even(8));
  CHECK(check_even(7).error().kind == ErrorKind::usage);
}

TEST_CASE("Result: converts to a Result of a type that its value converts to", "[result]") {
  CHECK(perhaps_half(4).value() == 2);
  CHECK(perhaps_half(3).error().message == "3 is odd");
  CHECK(adopt(true).value() != nullptr);
  CHECK(adopt(false).error().message == "no cat");
  CHECK(adopt_made(std::make_unique<Cat>()).value() != nullptr);
  CHECK(adopt_made(fail(ErrorKind::failed, "gone")).error().message == "gone");
}

TEST_CASE("Result: what map makes of it is a Result again", "[result]") {
  const Result<std::string> text =
      half(4).map([](int number) { return std::string(static_cast<std::size_t>(number), 'x'); });
  CHECK(text.value() == "xx");
  const Result<std::string> none = half(3).map([](int) { return std::string(); });
  CHECK(none.error().message == "3 is odd");
}

TEST_CASE("Result: can be assigned a value, an error, or another Result", "[result]") {
  Result<int> result = half(3);
  result = 5;
  CHECK(result.value() == 5);
  result = fail(result ? Error{ErrorKind::failed, "cut"} : Error{}, "reading");
  CHECK(result.error().message == "reading: cut");
  result = half(10);
  CHECK(result.value() == 5);
}

TEST_CASE("Result: moves where its value can only be moved", "[result]") {
  static_assert(std::is_move_constructible_v<Result<std::unique_ptr<int>>>);
  static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
  static_assert(std::is_copy_constructible_v<Result<int>>);
  Result<std::unique_ptr<int>> from = std::make_unique<int>(7);
  const Result<std::unique_ptr<int>> to = std::move(from);
  CHECK(**to == 7);
}

}  // namespace tbci::result_test
