// What `sha256sum` writes. Pure; the text is hostile.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::runner {

/// The digest of the file of this name, as 64 hexadecimal digits in lower case: `HEX  NAME`, or `HEX *NAME`, with
/// folders before the name or none. Where the text has one line, it is that of the file, whatever name it says, also
/// none. Error (failed) where there is no such line, or two that differ.
Result<std::string> sha256_from(std::string_view text, std::string_view name);

}  // namespace tbci::runner
