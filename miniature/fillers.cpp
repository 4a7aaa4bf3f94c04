#include "miniature/fillers.hpp"

#include <array>

namespace tbci::miniature {
namespace {

constexpr std::array<const char*, 7> kOperators = {"relu", "gelu", "elu", "addmm", "mm", "embedding_bag", "softmax"};
constexpr std::array<const char*, 5> kFiles = {"activations", "embedding_bag", "matrix_products", "convolution",
                                               "normalization"};

/// A shape that no other number has.
std::string shape(std::size_t number) {
  return fmt::format("{}, {}", number % 8 + 1, 640 + 16 * number);
}

Change insertion(std::string path, std::string anchor, const std::string& line) {
  Change change;
  change.edits.push_back(
      {.kind = Edit::Kind::replace, .path = std::move(path), .before = anchor, .after = line + "\n" + anchor});
  return change;
}

Change document(std::size_t number) {
  const char* name = kOperators[number % kOperators.size()];
  Change change;
  change.subject = fmt::format("Note the time of {} at {}", name, shape(number));
  change.body = "Measured once more, without a difference.";
  const std::string row = fmt::format("| 2026-01 | {} | [{}] | builder-{} |\n", name, shape(number), number % 4 + 1);
  change.edits.push_back({.kind = Edit::Kind::append, .path = "docs/performance.md", .before = "", .after = row});
  return change;
}

Change tool(std::size_t number) {
  Change change;
  change.subject = fmt::format("Try the shape {}", shape(number));
  change.body = "A user asked for it.";
  change.edits.push_back(
      {Edit::Kind::replace, "tools/shapes.py", "SHAPES = [", fmt::format("SHAPES = [\n    ({}),", shape(number))});
  return change;
}

/// Every fourth change touches the header that all kernels include, the others one kernel.
Change kernel(std::size_t number) {
  if (number % 4 == 3) {
    Change change = insertion("kernels/checks.hpp", "}  // namespace miniature",
                              fmt::format("/// A length of rows that was seen in use.\n"
                                          "inline constexpr std::int64_t kSeenLength{} = {};\n",
                                          number, 640 + 16 * number));
    change.subject = fmt::format("Record rows of {} values as in use", 640 + 16 * number);
    change.body = "A constant for the tests to come.";
    return change;
  }
  const char* file = kFiles[number % kFiles.size()];
  Change change =
      insertion(fmt::format("kernels/{}.cpp", file), "namespace {", fmt::format("// Tried with [{}].", shape(number)));
  change.subject = fmt::format("Note that {} was tried with {}", file, shape(number));
  change.body = "The comment keeps the next one from trying it again.";
  return change;
}

}  // namespace

Change filler(Category category, std::size_t number) {
  switch (category) {
    case Category::documents:
      return document(number);
    case Category::tools:
      return tool(number);
    case Category::kernels:
      return kernel(number);
  }
  return kernel(number);
}

}  // namespace tbci::miniature
