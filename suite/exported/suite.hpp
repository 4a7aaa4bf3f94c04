// The suite that a folder of exported models is: `--models FOLDER` (docs/exported-models.md).
#pragma once

#include <string>

#include "suite/choice.hpp"

namespace tbci::suite {
class Protocol;
}

namespace tbci::suite::exported {

// The model of that name, with its inputs read, as its batch size follows from them. Inputs that cannot be used are the
// answer of its `make`, which throws; so is all that is wrong with the model itself.
Choice choose(const std::string& folder, const std::string& name);

// Tells what lies in the folder. No model is loaded, and no file opened. Returns the exit code.
int list(const std::string& folder, Protocol& protocol);

}  // namespace tbci::suite::exported
