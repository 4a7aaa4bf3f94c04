// What LibTorch says of a model that it cannot load or run, in one line.
#pragma once

#include <string>
#include <string_view>

namespace tbci::suite::exported {

// The line of a message that tells what went wrong: of a traceback of TorchScript its last `SomeError: ...`, else the
// first line with anything in it. Cut where it is very long.
std::string telling_line(std::string_view message);

// To be called in a handler: throws what is handled anew, as one line that begins with `doing`. Memory that is used up
// stays the exception that it was. An operator that this LibTorch lacks becomes Unsupported.
[[noreturn]] void rethrow(const std::string& doing);

}  // namespace tbci::suite::exported
