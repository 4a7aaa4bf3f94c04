// Zip archives for tests, good ones and others.
#pragma once

#include <sys/stat.h>
#include <zip.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

struct ZipEntry {
  std::string name, text;
  mode_t mode = S_IFREG | 0644;
};

inline std::filesystem::path write_zip(const std::filesystem::path& path, const std::vector<ZipEntry>& entries) {
  REQUIRE(make_directories(path.parent_path()));
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  REQUIRE(archive != nullptr);
  for (const auto& [name, text, mode] : entries) {
    zip_int64_t index = -1;
    if (name.ends_with('/')) {
      index = zip_dir_add(archive, name.c_str(), ZIP_FL_ENC_UTF_8);
    } else {
      zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
      index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    }
    REQUIRE(index >= 0);
    REQUIRE(zip_file_set_external_attributes(archive, static_cast<zip_uint64_t>(index), 0, ZIP_OPSYS_UNIX,
                                             static_cast<zip_uint32_t>(mode) << 16) == 0);
  }
  REQUIRE(zip_close(archive) == 0);
  return path;
}

/// The bytes of such an archive.
inline std::string zip_bytes(const std::filesystem::path& folder, const std::vector<ZipEntry>& entries) {
  const auto text = read_file(write_zip(folder / "made.zip", entries));
  REQUIRE(text);
  return *text;
}

}  // namespace tbci::test
