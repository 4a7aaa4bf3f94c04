// A folder of exported models as a suite: `--models FOLDER` (docs/exported-models.md).
#pragma once

#include <string>

#include "suite/choice.hpp"

namespace tbci::suite {
class Protocol;
}

namespace tbci::suite::exported {

// The model of that name. Its inputs are read here, because they determine the batch size. If the inputs or the model
// itself cannot be used, its `make` throws the reason.
Choice choose(const std::string& folder, const std::string& name);

// Prints the models in the folder. Loads no model and opens no file. Returns the exit code.
int list(const std::string& folder, Protocol& protocol);

}  // namespace tbci::suite::exported
