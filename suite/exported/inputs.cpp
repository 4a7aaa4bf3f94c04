#include "suite/exported/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include <torch/csrc/jit/serialization/unpickler.h>
#include <torch/torch.h>

#include <caffe2/serialize/inline_container.h>

#include "suite/exported/reason.hpp"

namespace tbci::suite::exported {
namespace {

constexpr std::uint64_t largest_pickle_bytes = std::uint64_t{1} << 20;
constexpr std::size_t most_shown = 8, longest_key = 40;

using StorageSizes = std::map<const void*, std::size_t>;  // what the file really has for a storage

// The pickle `data.pkl`; the data of its storages are the records data/0, data/1, ...
c10::IValue unpickle(const std::filesystem::path& file, StorageSizes& sizes) {
  caffe2::serialize::PyTorchStreamReader reader(file.string());
  const auto pickle = reader.getRecord("data.pkl");
  const auto* text = static_cast<const char*>(std::get<0>(pickle).get());
  const std::size_t length = std::get<1>(pickle);
  if (length > largest_pickle_bytes) throw std::runtime_error("its pickle is larger than a list of tensors can be");
  std::size_t read = 0;
  const auto read_pickle = [&](char* to, std::size_t wanted) {
    const std::size_t given = std::min(wanted, length - read);
    std::memcpy(to, text + read, given);
    read += given;
    return given;
  };
  const auto read_storage = [&](const std::string& key) {
    auto record = reader.getRecord("data/" + key);
    sizes[std::get<0>(record).get()] = std::get<1>(record);
    return std::move(std::get<0>(record));
  };
  torch::jit::Unpickler unpickler(read_pickle, nullptr, nullptr, read_storage, torch::Device(torch::kCPU));
  return unpickler.parse_ivalue();
}

// The bytes that a tensor reaches to in its storage; none where its sizes and strides make no sense.
bool reach(const torch::Tensor& tensor, std::uint64_t& bytes) {
  std::int64_t last = tensor.storage_offset();
  bool empty = false, sane = last >= 0;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    const std::int64_t size = tensor.size(i), stride = tensor.stride(i);
    std::int64_t step = 0;
    sane = sane && size >= 0 && stride >= 0;
    if (size <= 0) empty = true;
    sane = sane && !__builtin_mul_overflow(size - 1, stride, &step) &&
           (empty || !__builtin_add_overflow(last, step, &last));
  }
  if (!sane) return false;
  bytes = empty ? 0 : static_cast<std::uint64_t>(last) + 1;
  return !__builtin_mul_overflow(bytes, tensor.itemsize(), &bytes);
}

// A pickle says itself how large its storages are, and the Unpickler believes it.
std::string why_unsafe(const torch::Tensor& tensor, const StorageSizes& sizes) {
  if (!tensor.defined()) return "is undefined";
  if (tensor.layout() != torch::kStrided) return "is not dense: call to_dense() before saving it";
  if (tensor.device().type() != torch::kCPU) return "has no data";
  std::uint64_t needed = 0;
  if (!reach(tensor, needed)) return "has impossible sizes";
  const auto known = sizes.find(tensor.storage().data_ptr().get());
  const std::size_t there = known == sizes.end() ? 0 : known->second;
  if (needed > there)
    return "claims " + std::to_string(needed) + " bytes of data, and the file has " + std::to_string(there);
  return {};
}

void take(const c10::IValue& value, const std::string& where, Inputs& into) {
  if (!value.isTensor()) throw std::runtime_error(where + " is not a tensor but of type " + value.tagKind());
  into.tensors.push_back(value.toTensor());
}

// A tensor; a list or tuple of tensors; a dict of them by the names of the model's arguments.
void flatten(const c10::IValue& value, Inputs& into) {
  if (value.isTensor()) {
    take(value, "it", into);
  } else if (value.isTensorList()) {
    for (const torch::Tensor& tensor : value.toTensorVector()) into.tensors.push_back(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& each : value.toListRef()) take(each, "one of its inputs", into);
  } else if (value.isTuple()) {
    for (const c10::IValue& each : value.toTupleRef().elements()) take(each, "one of its inputs", into);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      if (!entry.key().isString()) throw std::runtime_error("a key of its dict is not a string");
      into.names.push_back(entry.key().toStringRef());
      take(entry.value(), "'" + into.names.back().substr(0, longest_key) + "'", into);
    }
  } else {
    throw std::runtime_error("it holds a " + value.tagKind() + ", and not a list, tuple or dict of tensors");
  }
}

std::string read_tensors(const std::filesystem::path& file, Inputs& into) {
  StorageSizes sizes;
  flatten(unpickle(file, sizes), into);
  if (into.tensors.empty()) return "it holds no tensor";
  if (into.tensors.size() > most_inputs) return "it holds more than " + std::to_string(most_inputs) + " tensors";
  for (std::size_t i = 0; i < into.tensors.size(); ++i) {
    const std::string why = why_unsafe(into.tensors[i], sizes);
    if (!why.empty()) return "input " + std::to_string(i) + " " + why;
    into.tensors[i] = into.tensors[i].detach();
  }
  return {};
}

}  // namespace

std::int64_t Inputs::batch() const {
  return tensors.empty() || tensors.front().dim() == 0 ? 1 : tensors.front().size(0);
}

std::string Inputs::text() const {
  std::string text;
  for (std::size_t i = 0; i < tensors.size() && i < most_shown; ++i) {
    if (i > 0) text += ", ";
    text += c10::toString(tensors[i].scalar_type());
    text += "[";
    for (std::int64_t dim = 0; dim < tensors[i].dim(); ++dim)
      text += (dim > 0 ? ", " : "") + std::to_string(tensors[i].size(dim));
    text += "]";
  }
  return tensors.size() > most_shown ? text + ", ..." : text;
}

Inputs Inputs::to(const torch::Device& device) const {
  Inputs moved{{}, names};
  for (const torch::Tensor& tensor : tensors) moved.tensors.push_back(tensor.to(device));
  return moved;
}

std::string read_inputs(const std::filesystem::path& file, Inputs& into) {
  into = {};
  const std::string name = file.filename().string();
  Archive archive;
  std::string why = read_archive(file, inputs_limits, archive);
  try {
    if (why.empty()) why = read_tensors(file, into);
  } catch (const c10::Error& error) {
    why = telling_line(error.what_without_backtrace());
  } catch (const std::exception& error) {
    why = telling_line(error.what());
  }
  if (why.empty()) return {};
  into = {};
  return name + ": " + why + " (torch.save([tensor, ...], '" + name + "') writes such a file)";
}

}  // namespace tbci::suite::exported
