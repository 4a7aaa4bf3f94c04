// Wheels for tests, good ones and others.
#pragma once

#include <sys/stat.h>
#include <zip.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"

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
  REQUIRE(make_directories(path.parent_path()));
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  REQUIRE(archive != nullptr);
  for (const auto& [name, text] : files) {
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    REQUIRE(index >= 0);
    const mode_t mode = (name == link ? S_IFLNK : S_IFREG) | 0644;
    REQUIRE(zip_file_set_external_attributes(archive, static_cast<zip_uint64_t>(index), 0, ZIP_OPSYS_UNIX,
                                             static_cast<zip_uint32_t>(mode) << 16) == 0);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

}  // namespace tbci::test
