#include "runner/source/linked_copy.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace fs = std::filesystem;

namespace {

std::error_code link_one(const fs::directory_entry& entry, const fs::path& to) {
  std::error_code error;
  const fs::file_status status = entry.symlink_status(error);
  if (fs::is_directory(status)) {
    fs::create_directory(to, error);
  } else if (fs::is_symlink(status)) {
    fs::copy_symlink(entry.path(), to, error);
  } else if (fs::is_regular_file(status)) {
    fs::create_hard_link(entry.path(), to, error);
  } else if (!error) {
    error = std::make_error_code(std::errc::not_supported);
  }
  return error;
}

}  // namespace

Status copy_by_links(const fs::path& from, const fs::path& to) {
  TBCI_TRY(make_directories(to));
  std::error_code error;
  for (fs::recursive_directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    if (const auto trouble = link_one(*at, to / at->path().lexically_relative(from))) {
      return fail(ErrorKind::failed, "{} cannot have a second name: {}", one_line(at->path().string(), 300),
                  trouble.message());
    }
  }
  if (error) return fail(ErrorKind::failed, "cannot read {}: {}", from.string(), error.message());
  return {};
}

}  // namespace tbci::runner
