// Folders of exported models made while a test runs, and a worker's answers about them. Every test starts from these
// helpers, so they include LibTorch and Catch2 as torch_and_catch.hpp does.
#pragma once

#include "tests/suite/torch_and_catch.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/protocol.hpp"
#include "suite/run.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

bool contains(const std::string& text, const std::string& part);

void write(const std::filesystem::path& file, const std::string& text);
std::string text_of(const std::filesystem::path& file);

void save_value(const std::filesystem::path& file, const c10::IValue& value);
void save_inputs(const std::filesystem::path& file, const std::vector<torch::Tensor>& tensors);

// y = x W with a W of 3 x 2 ones; in training it would add 1.
void save_module(const std::filesystem::path& file);

// An archive as LibTorch writes it, of names and what they hold. `archive/` stands in front of the names.
void save_archive(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& records);

// Measures `name` of the folder on the CPU, in three iterations.
suite::RunOptions measuring(const std::filesystem::path& folder, const std::string& name);

// What the protocol writes while `action` runs, line by line. Checks the exit code that it returns.
std::vector<std::string> lines_of(const std::function<int(suite::Protocol&)>& action, int expected);

// The last line of measuring, which has to be an error.
std::string failure(const suite::RunOptions& options);
std::string failure(const std::filesystem::path& folder, const std::string& name);

// What one iteration of the model leaves.
suite::Tensors results_of(const std::filesystem::path& folder, const std::string& name);

}  // namespace tbci::test
