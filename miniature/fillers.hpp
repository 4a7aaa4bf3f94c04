// An endless supply of harmless changes, for days with more commits than there are written changes.
#pragma once

#include <cstddef>

#include "miniature/change.hpp"

namespace tbci::miniature {

enum class Category { kernels, documents, tools };

/// Filler `number` of a category. Each number gives a different change; they can be applied in any order.
Change filler(Category category, std::size_t number);

}  // namespace tbci::miniature
