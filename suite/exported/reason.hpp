// LibTorch's message about a model that it cannot load or run, in one line.
#pragma once

#include <string>
#include <string_view>

namespace tbci::suite::exported {

// The line of a message that has the reason: of a traceback of TorchScript its last `SomeError: ...`, else the
// first line with anything in it. Cut where it is very long.
std::string telling_line(std::string_view message);

// Call it in a handler: rethrows the current exception as one line that begins with `doing`. The exception for
// exhausted memory stays as it is. An operator that this LibTorch lacks becomes Unsupported.
[[noreturn]] void rethrow(const std::string& doing);

}  // namespace tbci::suite::exported
