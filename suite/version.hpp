// The LibTorch that this process has loaded. Its headers are those that the worker was built against; the library
// itself may be a later one with equal headers.
#pragma once

#include <string>

namespace tbci::suite {

struct TorchVersion {
  std::string version;  // as the wheel reports it, such as 2.13.0+cpu
  std::string git;      // 40 hex digits, or empty if the build does not report it
};

// Read once, from the files beside the loaded library: version.py of a wheel, build-version and build-hash of an
// archive.
const TorchVersion& torch_version();

// What the text of a version.py assigns.
TorchVersion version_in(const std::string& version_py);

}  // namespace tbci::suite
