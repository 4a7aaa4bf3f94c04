// Hints at what is the same in each iteration: it depends on no data.
#include <algorithm>
#include <optional>
#include <set>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/evidence.hpp"

namespace tbci::detect {

namespace {

// Which memory holds what does not depend on data: what is there before an iteration and that nothing writes to, and
// what is computed from that alone.
class Constants {
 public:
  explicit Constants(const Look& look) : look_(look), data_(look.timeline.inputs.begin(), look.timeline.inputs.end()) {
    for (const model::TimelineCall& call : look.timeline.calls) note_writes(call);
  }

  /// Of the next call in order: whether all that it is given is constant. What it returns is then, too.
  bool passes(std::size_t number) {
    const model::TimelineCall& call = look_.timeline.calls[number];
    const bool constant =
        !is_random(look_.name(number)) &&
        std::all_of(call.inputs.begin(), call.inputs.end(), [&](const auto& use) { return is_constant(use); });
    for (const model::TensorUse& use : call.outputs) {
      if (const model::SeenTensor* tensor = look_.tensor(use)) (constant ? made_ : data_).insert(tensor->storage);
    }
    for (const model::TensorUse& use : call.inputs) {  // some that write to what they are given return nothing
      const model::SeenTensor* tensor = look_.tensor(use);
      if (tensor != nullptr && use.written && !constant) data_.insert(tensor->storage);
    }
    return constant;
  }

  /// Whether nothing but this call writes to what it returns.
  bool keeps(std::size_t number) const {
    const model::TimelineCall& call = look_.timeline.calls[number];
    return std::all_of(call.outputs.begin(), call.outputs.end(), [&](const model::TensorUse& use) {
      const model::SeenTensor* tensor = look_.tensor(use);
      if (tensor == nullptr) return true;
      const auto writers = writers_.find(tensor->storage);
      return writers == writers_.end() || writers->second.others_are_within(call);
    });
  }

 private:
  // The calls that write to a storage: where they begin first and end last, by the two operators that do so.
  class Writers {
   public:
    void add(const model::TimelineCall& call) {
      one_thread_ = one_thread_ && (first_.empty() || first_.front()->thread == call.thread);
      keep(first_, call, [](const auto& a, const auto& b) { return a.begin < b.begin; });
      keep(last_, call, [](const auto& a, const auto& b) { return a.end() > b.end(); });
    }
    // But for the same call of other iterations.
    bool others_are_within(const model::TimelineCall& call) const {
      const model::TimelineCall* first = other_than(call, first_);
      const model::TimelineCall* last = other_than(call, last_);
      return first == nullptr ||
             (one_thread_ && first->thread == call.thread && first->begin >= call.begin && last->end() <= call.end());
    }

   private:
    using Two = std::vector<const model::TimelineCall*>;  // of different operators, the better one in front
    template <class Better>
    static void keep(Two& two, const model::TimelineCall& call, const Better& better) {
      const auto same = std::ranges::find(two, call.name, [](const auto* one) { return one->name; });
      if (same == two.end()) {
        two.push_back(&call);
      } else if (better(call, **same)) {
        *same = &call;
      }
      std::ranges::stable_sort(two, [&](const auto* a, const auto* b) { return better(*a, *b); });
      if (two.size() > 2) two.pop_back();
    }
    static const model::TimelineCall* other_than(const model::TimelineCall& call, const Two& two) {
      const auto found = std::ranges::find_if(two, [&](const auto* one) { return one->name != call.name; });
      return found == two.end() ? nullptr : *found;
    }

    Two first_, last_;
    bool one_thread_ = true;
  };

  void note_writes(const model::TimelineCall& call) {
    for (const model::TensorUse& use : call.inputs) {
      const model::SeenTensor* tensor = look_.tensor(use);
      if (tensor == nullptr || !use.written) continue;
      writers_[tensor->storage].add(call);
    }
  }

  bool is_constant(const model::TensorUse& use) const {
    const model::SeenTensor* tensor = look_.tensor(use);
    if (tensor == nullptr) return true;
    if (data_.contains(tensor->storage)) return false;
    // A call may write to what was made from nothing: `empty` and `fill_`.
    return made_.contains(tensor->storage) || use.written || !writers_.contains(tensor->storage);
  }

  const Look& look_;
  std::set<std::int64_t> data_, made_;
  std::map<std::int64_t, Writers> writers_;  // by storage
};

enum class Count { one, more };

bool each_has(const Look& look, const std::vector<model::TensorUse>& uses, Count count) {
  return std::all_of(uses.begin(), uses.end(), [&](const model::TensorUse& use) {
    const model::SeenTensor* tensor = look.tensor(use);
    return tensor == nullptr || (elements_of(*tensor) <= 1) == (count == Count::one);
  });
}

bool any_tensor(const Look& look, const std::vector<model::TensorUse>& uses) {
  return std::any_of(uses.begin(), uses.end(), [&](const auto& use) { return look.tensor(use) != nullptr; });
}

// Whether a call returns other memory than it is given, or writes to another tensor than the one it reads.
bool moves_memory(const Look& look, const model::TimelineCall& call) {
  std::set<std::int64_t> read;
  for (const model::TensorUse& use : call.inputs) {
    if (const model::SeenTensor* tensor = look.tensor(use); tensor != nullptr && !use.written)
      read.insert(tensor->storage);
  }
  return !read.empty() && std::any_of(call.outputs.begin(), call.outputs.end(), [&](const model::TensorUse& use) {
    const model::SeenTensor* tensor = look.tensor(use);
    return tensor != nullptr && !read.contains(tensor->storage);
  });
}

// The model's own call within which a call is made; the call itself where it is that, or where a node of the backward
// pass makes it.
std::size_t top_caller(const Look& look, std::size_t call) {
  for (auto at = static_cast<std::ptrdiff_t>(call); at >= 0; at = look.calls[static_cast<std::size_t>(at)].parent) {
    if (look.calls[static_cast<std::size_t>(at)].top) return static_cast<std::size_t>(at);
  }
  return call;
}

bool shares_memory(const Look& look, const std::vector<model::TensorUse>& some,
                   const std::vector<model::TensorUse>& others) {
  std::set<std::int64_t> storages;
  for (const model::TensorUse& other : others) {
    if (const model::SeenTensor* tensor = look.tensor(other)) storages.insert(tensor->storage);
  }
  return std::any_of(some.begin(), some.end(), [&](const model::TensorUse& one) {
    const model::SeenTensor* tensor = look.tensor(one);
    return tensor != nullptr && storages.contains(tensor->storage);
  });
}

// Which call made the memory of a storage: the first that returns what it was not given. A caller comes before what it
// calls, so what it returns is its own.
class Makers {
 public:
  void note(const Look& look, std::size_t number) {
    const model::TimelineCall& call = look.timeline.calls[number];
    for (const model::TensorUse& use : call.outputs) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor != nullptr && !shares_memory(look, {use}, call.inputs)) makers_.try_emplace(tensor->storage, number);
    }
  }
  // Whether another call of the same operator made it.
  bool is_of_caller(const Look& look, std::int64_t storage, std::size_t call) const {
    const auto maker = makers_.find(storage);
    return maker != makers_.end() && look.calls[maker->second].parent == look.calls[call].parent;
  }

 private:
  std::map<std::int64_t, std::size_t> makers_;
};

// Whether the operator that makes a call may write to the call's result by code that is not a call: `addmm` copies the
// bias to where it adds the product. It may where it returns that memory, or where no call of its own made it.
bool fills_a_caller(const Look& look, const Makers& makers, std::size_t number) {
  if (look.calls[number].top) return false;
  const model::TimelineCall& call = look.timeline.calls[number];
  for (const model::TensorUse& use : call.inputs) {
    const model::SeenTensor* tensor = look.tensor(use);
    if (use.written && (tensor == nullptr || !makers.is_of_caller(look, tensor->storage, number))) return true;
  }
  constexpr int deepest = 200;  // operators call each other a few dozen deep
  int depth = 0;
  for (std::ptrdiff_t at = look.calls[number].parent; at >= 0; at = look.calls[static_cast<std::size_t>(at)].parent) {
    if (++depth > deepest) return true;
    if (shares_memory(look, call.outputs, look.timeline.calls[static_cast<std::size_t>(at)].outputs)) return true;
  }
  return false;
}

}  // namespace

void find_one_element(const Look& look, Claimed& claimed, HintSums& sums) {
  Constants constants(look);
  for (const auto& calls : calls_of_all_threads(look)) {
    std::vector<std::size_t> found;
    std::optional<std::size_t> longest, read;  // of those that compute; of those that only read the number
    const auto take_longer = [&](std::optional<std::size_t>& one, std::size_t other) {
      if (!one || look.timeline.calls[other].length > look.timeline.calls[*one].length) one = other;
    };
    for (const std::size_t i : calls) {
      const model::TimelineCall& call = look.timeline.calls[i];
      if (!look.calls[i].top || !constants.passes(i) || call.thread != look.thread) continue;
      const bool has_tensors = any_tensor(look, call.inputs) || any_tensor(look, call.outputs);
      if (!has_tensors || !each_has(look, call.inputs, Count::one) || !each_has(look, call.outputs, Count::one))
        continue;
      const bool computes = purpose_of(look.name(i)) == Purpose::compute && any_tensor(look, call.inputs);
      if (computes) take_longer(any_tensor(look, call.outputs) ? longest : read, i);
      found.push_back(i);
    }
    if (!longest) longest = read;
    if (!longest) continue;
    for (const std::size_t i : found) {
      claimed[i] = true;
      const auto time = static_cast<double>(look.timeline.calls[i].length);
      sums.add(HintKind::one_element, look.name(*longest), 1, time, time);
    }
  }
}

void find_same_copy(const Look& look, Claimed& claimed, HintSums& sums) {
  if (look.timeline.iterations.size() < 2) return;  // nothing shows that it comes again
  Constants constants(look);
  Makers makers;
  Claimed done = claimed;  // and all that is called in these: `to` calls `_to_copy`, which calls `copy_`
  for (const auto& calls : calls_of_all_threads(look)) {
    for (const std::size_t i : calls) {
      const model::TimelineCall& call = look.timeline.calls[i];
      const std::ptrdiff_t caller = look.calls[i].parent;
      if (caller >= 0 && done[static_cast<std::size_t>(caller)]) done[i] = true;
      makers.note(look, i);
      if (!constants.passes(i) || call.thread != look.thread || done[i] || !is_copy(look.name(i)) ||
          !moves_memory(look, call))
        continue;
      if (!each_has(look, call.outputs, Count::more) || !constants.keeps(i) || fills_a_caller(look, makers, i))
        continue;
      done[i] = true;
      const auto top = top_caller(look, i);
      claimed[i] = claimed[top] = true;
      const auto time = static_cast<double>(call.length);
      sums.add(HintKind::same_copy, look.name(i), 1, time, time, top == i ? std::string_view() : look.name(top));
    }
  }
}

}  // namespace tbci::detect
