// Wheels for tests, good ones and others.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/runner/zips.hpp"

namespace tbci::test {

/// Text by the path inside the wheel.
using WheelFiles = std::map<std::string, std::string>;

/// `sha256=...` as a RECORD names it.
inline std::string record_digest(const std::string& text) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::string hex = sha256_hex(text);
  std::string bits;
  for (const char digit : hex) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    for (int bit = 3; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  bits += "00";  // 43 letters of 6 bits
  std::string digest = "sha256=";
  for (std::size_t at = 0; at < bits.size(); at += 6) digest += letters[std::stoul(bits.substr(at, 6), nullptr, 2)];
  return digest;
}

inline std::string record_of(const WheelFiles& files, const std::string& record) {
  std::string lines;
  for (const auto& [path, text] : files) {
    if (path != record) lines += fmt::format("{},{},{}\n", path, record_digest(text), text.size());
  }
  return lines + record + ",,\n";
}

/// The files of a package with what a wheel needs besides: METADATA, WHEEL and a RECORD that is right.
inline WheelFiles with_info(WheelFiles files, const std::string& name, const std::string& version) {
  const std::string info = name + "-" + version + ".dist-info/";
  files[info + "METADATA"] = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n";
  files[info + "WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
  files[info + "RECORD"] = record_of(files, info + "RECORD");
  return files;
}

/// `links`: members of `files` that are marked as links.
inline std::filesystem::path write_wheel(const std::filesystem::path& path, const WheelFiles& files,
                                         const std::string& link = {}) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, text] : files)
    entries.push_back({name, text, static_cast<mode_t>((name == link ? S_IFLNK : S_IFREG) | 0644)});
  return write_zip(path, entries);
}

}  // namespace tbci::test
