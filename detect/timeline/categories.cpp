#include "detect/timeline/categories.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tbci::detect {

namespace {

using Names = std::span<const std::string_view>;

// Memory is read, and written elsewhere or in another type: nothing else happens.
constexpr std::array<std::string_view, 31> copies = {"copy_",
                                                     "_copy_from",
                                                     "_copy_from_and_resize",
                                                     "to",
                                                     "_to_copy",
                                                     "_autocast_to_reduced_precision",
                                                     "_autocast_to_full_precision",
                                                     "contiguous",
                                                     "clone",
                                                     "cat",
                                                     "_cat",
                                                     "concat",
                                                     "concatenate",
                                                     "stack",
                                                     "hstack",
                                                     "vstack",
                                                     "repeat",
                                                     "repeat_interleave",
                                                     "tile",
                                                     "index_select",
                                                     "gather",
                                                     "take_along_dim",
                                                     "flip",
                                                     "roll",
                                                     "rot90",
                                                     "constant_pad_nd",
                                                     "pixel_shuffle",
                                                     "pixel_unshuffle",
                                                     "channel_shuffle",
                                                     "_pack_padded_sequence",
                                                     "_pad_packed_sequence"};

// The same memory seen in another order or shape: they reorder, and read nothing.
constexpr std::array<std::string_view, 41> views = {
    "view",         "_unsafe_view",    "reshape",    "_reshape_alias", "view_as",     "reshape_as",  "t",
    "transpose",    "transpose_",      "permute",    "expand",         "expand_as",   "squeeze",     "squeeze_",
    "unsqueeze",    "unsqueeze_",      "select",     "slice",          "narrow",      "split",       "split_with_sizes",
    "chunk",        "unbind",          "flatten",    "unflatten",      "as_strided",  "as_strided_", "detach",
    "detach_",      "alias",           "movedim",    "swapaxes",       "swapdims",    "diagonal",    "unfold",
    "view_as_real", "view_as_complex", "lift_fresh", "resolve_conj",   "resolve_neg", "numpy_T"};

// Memory is got and nothing is put into it.
constexpr std::array<std::string_view, 7> allocations = {
    "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_"};

constexpr std::array<std::string_view, 46> elementwise = {"add",        "add_",
                                                          "sub",        "sub_",
                                                          "rsub",       "mul",
                                                          "mul_",       "div",
                                                          "div_",       "neg",
                                                          "neg_",       "abs",
                                                          "sqrt",       "sqrt_",
                                                          "rsqrt",      "rsqrt_",
                                                          "reciprocal", "reciprocal_",
                                                          "square",     "square_",
                                                          "addcmul",    "addcmul_",
                                                          "addcdiv",    "addcdiv_",
                                                          "lerp",       "lerp_",
                                                          "maximum",    "minimum",
                                                          "clamp",      "clamp_",
                                                          "clamp_min",  "clamp_min_",
                                                          "clamp_max",  "zero_",
                                                          "fill_",      "copy_",
                                                          "where",      "sign",
                                                          "pow",        "pow_",
                                                          "relu",       "relu_",
                                                          "zeros_like", "ones_like",
                                                          "full_like",  "threshold_backward"};

constexpr std::array<std::string_view, 17> random = {
    "rand",         "randn",       "rand_like", "randn_like", "randint",       "randperm",
    "bernoulli",    "bernoulli_",  "normal",    "normal_",    "uniform_",      "random_",
    "exponential_", "multinomial", "dropout",   "dropout_",   "native_dropout"};

constexpr std::array<std::string_view, 6> waiting = {"item",  "_local_scalar_dense", "nonzero", "is_nonzero",
                                                     "equal", "masked_select"};

bool has(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view base_of(std::string_view name) {
  const auto first = name.find('.');
  if (first == std::string_view::npos) return name;
  const auto last = name.find('.', first + 1);
  return name.substr(first + 1, last == std::string_view::npos ? last : last - first - 1);
}

Purpose purpose_of(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return Purpose::node;
  const std::string_view base = base_of(name);
  return has(copies, base) || has(views, base) || has(allocations, base) ? Purpose::move : Purpose::compute;
}

bool is_elementwise(std::string_view name) {
  return has(elementwise, base_of(name));
}

bool is_random(std::string_view name) {
  return has(random, base_of(name));
}

bool is_copy(std::string_view name) {
  return has(copies, base_of(name));
}

bool is_view(std::string_view name) {
  return has(views, base_of(name));
}

bool waits_for_device(std::string_view name) {
  return has(waiting, base_of(name));
}

bool is_collective(std::string_view name) {
  return name.starts_with("gloo.") && name != "gloo.wait";
}

bool begins_collective(std::string_view name) {
  return name.starts_with("c10d.");
}

}  // namespace tbci::detect
