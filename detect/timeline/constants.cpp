// Hints at what is the same in each iteration: it depends on no data.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/evidence.hpp"

namespace tbci::detect {

namespace {

// `empty` and its like: what is in such memory comes from whoever writes to it.
bool makes_empty_memory(std::string_view name) {
  const std::string_view base = base_of(name);
  return base.starts_with("empty") || base.starts_with("new_empty");
}

// Which memory holds what does not depend on data: what is there before an iteration and that nothing writes to, and
// what is computed from that alone. The model's own code fills memory without a call, or number by number: several
// numbers that no call writes together are data.
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
      if (const model::SeenTensor* tensor = look_.tensor(use))
        (constant && !is_of_host(number, *tensor) ? made_ : data_).insert(tensor->storage);
    }
    for (const model::TensorUse& use : call.inputs) {  // some that write to what they are given return nothing
      const model::SeenTensor* tensor = look_.tensor(use);
      if (tensor != nullptr && use.written && !constant) data_.insert(tensor->storage);
    }
    return constant;
  }

  /// The memory that a call is given and that is there before an iteration.
  std::set<std::int64_t> lasting_sources(std::size_t number) const {
    std::set<std::int64_t> sources;
    for (const model::TensorUse& use : look_.timeline.calls[number].inputs) {
      const model::SeenTensor* tensor = look_.tensor(use);
      if (tensor != nullptr && !use.written && !made_.contains(tensor->storage)) sources.insert(tensor->storage);
    }
    return sources;
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
      double& most = most_written_[tensor->storage];
      most = std::max(most, elements_of(*tensor));
    }
  }

  // Whether the model itself fills this memory, by no call.
  bool is_of_host(std::size_t number, const model::SeenTensor& tensor) const {
    if (!look_.calls[number].top || !makes_empty_memory(look_.name(number)) || elements_of(tensor) <= 1) return false;
    const auto most = most_written_.find(tensor.storage);
    return most == most_written_.end() || most->second < elements_of(tensor);
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
  std::map<std::int64_t, Writers> writers_;      // by storage
  std::map<std::int64_t, double> most_written_;  // elements that one call writes to, by storage
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

std::set<std::int64_t> storages_of(const Look& look, const std::vector<model::TensorUse>& uses) {
  std::set<std::int64_t> storages;
  for (const model::TensorUse& use : uses) {
    if (const model::SeenTensor* tensor = look.tensor(use)) storages.insert(tensor->storage);
  }
  return storages;
}

bool any_is_in(const Look& look, const std::vector<model::TensorUse>& uses, const std::set<std::int64_t>& storages) {
  return std::any_of(uses.begin(), uses.end(), [&](const model::TensorUse& use) {
    const model::SeenTensor* tensor = look.tensor(use);
    return tensor != nullptr && storages.contains(tensor->storage);
  });
}

// Which call made the memory of a storage: the first that returns what it was not given. A caller comes before what it
// calls, so what it returns is its own.
class Makers {
 public:
  void note(const Look& look, std::size_t number) {
    const model::TimelineCall& call = look.timeline.calls[number];
    const std::set<std::int64_t> given = storages_of(look, call.inputs);
    for (const std::int64_t storage : storages_of(look, call.outputs)) {
      if (!given.contains(storage)) makers_.try_emplace(storage, number);
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
  const std::set<std::int64_t> results = storages_of(look, call.outputs);
  for (std::ptrdiff_t at = look.calls[number].parent; at >= 0; at = look.calls[static_cast<std::size_t>(at)].parent) {
    if (++depth > deepest) return true;
    if (any_is_in(look, look.timeline.calls[static_cast<std::size_t>(at)].outputs, results)) return true;
  }
  return false;
}

}  // namespace

void find_one_element(const Look& look, Claimed& claimed, HintSums& sums) {
  Constants constants(look);
  const std::vector<double> times = times_of_calls(look);
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
      sums.add(HintKind::one_element, look.name(*longest), 1, times[i], times[i]);
    }
  }
}

namespace {

// Copies that could be kept if they are the same in each iteration: of the same memory, within the same operator.
class SameCopies {
 public:
  explicit SameCopies(const Look& look) : look_(look) {}
  void add(std::size_t copy, std::size_t top, std::set<std::int64_t> sources) {
    auto& one = copies_[{look_.timeline.calls[copy].name, look_.timeline.calls[top].name, std::move(sources)}];
    one.iterations.insert(look_.calls[copy].iteration);
    one.copies.emplace_back(copy, top);
  }
  void add_hints(Claimed& claimed, HintSums& sums) const {
    const std::vector<double> times = times_of_calls(look_);
    for (const auto& [key, one] : copies_) {
      if (one.iterations.size() < look_.timeline.iterations.size()) continue;
      for (const auto& [copy, top] : one.copies) {
        claimed[copy] = claimed[top] = true;
        sums.add(HintKind::same_copy, look_.name(copy), 1, times[copy], times[copy],
                 top == copy ? std::string_view() : look_.name(top));
      }
    }
  }

 private:
  struct Same {
    std::set<std::ptrdiff_t> iterations;
    std::vector<std::pair<std::size_t, std::size_t>> copies;  // with the model's own call
  };
  const Look& look_;
  std::map<std::tuple<std::size_t, std::size_t, std::set<std::int64_t>>, Same> copies_;
};

}  // namespace

void find_same_copy(const Look& look, Claimed& claimed, HintSums& sums) {
  if (look.timeline.iterations.size() < 2) return;  // nothing shows that it comes again
  Constants constants(look);
  Makers makers;
  SameCopies same(look);
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
      same.add(i, top_caller(look, i), constants.lasting_sources(i));
    }
  }
  same.add_hints(claimed, sums);
}

}  // namespace tbci::detect
