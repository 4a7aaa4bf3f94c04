#include "storage/samples.hpp"

#include <algorithm>
#include <cmath>

namespace tbci::storage {

namespace {

constexpr char format_number = 1;

// All arithmetic on unsigned numbers: it wraps around, and so any two samples have a difference.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (std::uint64_t{0} - (difference >> 63));
}

std::uint64_t unzigzag(std::uint64_t coded) {
  return (coded >> 1) ^ (std::uint64_t{0} - (coded & 1));
}

void append_varint(std::string& blob, std::uint64_t value) {
  while (value >= 0x80) {
    blob.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  blob.push_back(static_cast<char>(value));
}

/// Takes a number off the front. Nothing where it is cut off or does not fit 64 bits.
std::optional<std::uint64_t> take_varint(std::string_view& blob) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !blob.empty(); shift += 7) {
    const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(blob.front()));
    blob.remove_prefix(1);
    if (shift == 63 && byte > 1) return std::nullopt;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string encode_samples(std::span<const std::int64_t> samples) {
  std::string blob(1, format_number);
  std::uint64_t previous = 0;
  for (const std::int64_t sample : samples) {
    const auto current = static_cast<std::uint64_t>(sample);
    append_varint(blob, zigzag(current - previous));
    previous = current;
  }
  return blob;
}

Result<std::vector<std::int64_t>> decode_samples(std::string_view blob, std::size_t count) {
  if (blob.empty() || blob.front() != format_number) {
    return fail(ErrorKind::failed, "the packed samples have an unknown format");
  }
  blob.remove_prefix(1);
  // A sample takes a byte at least, so a wrong count cannot ask for more memory than the blob justifies.
  if (count > blob.size()) {
    return fail(ErrorKind::failed, "the packed samples are cut off: {} bytes for {} samples", blob.size(), count);
  }
  std::vector<std::int64_t> samples;
  samples.reserve(count);
  std::uint64_t previous = 0;
  while (samples.size() < count) {
    const auto coded = take_varint(blob);
    if (!coded) {
      return fail(ErrorKind::failed, "the packed samples are damaged at sample {} of {}", samples.size(), count);
    }
    previous += unzigzag(*coded);
    samples.push_back(static_cast<std::int64_t>(previous));
  }
  if (!blob.empty()) {
    return fail(ErrorKind::failed, "the packed samples go on for {} bytes after sample {}", blob.size(), count);
  }
  return samples;
}

std::optional<Summary> summarize(std::span<const std::int64_t> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&sorted](double p) {
    const double rank = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  };
  return Summary{.median = quantile(0.5), .q1 = quantile(0.25), .q3 = quantile(0.75)};
}

}  // namespace tbci::storage
