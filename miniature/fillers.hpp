// Harmless changes without end, for days that are longer than the written changes reach.
#pragma once

#include <cstddef>

#include "miniature/change.hpp"

namespace tbci::miniature {

enum class Category { kernels, documents, tools };

/// The `number`-th further change of a category. Each number gives a different one; all can be applied in any order.
Change filler(Category category, std::size_t number);

}  // namespace tbci::miniature
