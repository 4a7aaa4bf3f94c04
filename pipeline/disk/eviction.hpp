// Chooses what to remove when the disk fills: the things that tbci can make again, the longest unused first. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace tbci::pipeline {

enum class ThingKind {
  environment,  ///< virtual environment of a nightly
  worker,       ///< a worker, built against one LibTorch
  product,      ///< what a build from source left: the build cache
  log,          ///< of a build
  mirror,       ///< the copy of a repository
  checkout,     ///< where builds work
  download      ///< what pip keeps of what it downloaded, as one
};
/// As people read it: `environments`.
std::string_view plural_of(ThingKind kind);

/// A file or folder below the state folder.
struct StoredThing {
  ThingKind kind{};
  std::string subject = {};  ///< empty: of all subjects
  std::filesystem::path path = {};
  std::uint64_t bytes = 0;
  TimePoint used{};
  std::string kept = {};  ///< why it stays; empty: it may go
  bool needed = false;    ///< a person cannot remove it by its name either
  bool pinned = false;    ///< that is why
  bool remains = false;   ///< left by a kill during a build or a removal: always removed
};

/// How much the things of one kind and subject may take together.
struct DiskBudget {
  ThingKind kind{};
  std::string subject;
  std::uint64_t bytes = 0;
};

/// The indices of what goes, in the order of removal. First the remains. Then, of each budget the longest unused
/// things, until what is left is within it. Then, where that frees less than `missing` bytes, the longest unused of all
/// kinds, until it does; none of these where even all would not be enough. What is kept stays, also over its budget.
std::vector<std::size_t> things_to_remove(std::span<const StoredThing> things, std::span<const DiskBudget> budgets,
                                          std::uint64_t missing);

/// How much the next thing of a kind and subject will take: a tenth more than the largest of the newest five; 0 where
/// there was none.
std::uint64_t expected_bytes(std::span<const StoredThing> things, ThingKind kind, const std::string& subject);

}  // namespace tbci::pipeline
