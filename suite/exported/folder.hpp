// The models in a folder of exported models, found by the names of the files: no file is opened. Names may be hostile,
// because other people may write to the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tbci::suite::exported {

enum class Format {
  torchscript,  // NAME.pt, as torch.jit.save writes it
  package,      // NAME.pt2, as torch._inductor.aoti_compile_and_package writes it
};

struct ModelFile {
  std::string name;  // of the benchmark: the file's own, with its ending, so that one file never renames another
  Format format;
  std::filesystem::path file;  // without symbolic links
  std::uintmax_t bytes;
};

// Looks like a model, but is not offered.
struct LeftOut {
  std::string name;
  std::string why;
};

struct Folder {
  std::filesystem::path path;     // absolute, without symbolic links
  std::vector<ModelFile> models;  // by name
  std::vector<LeftOut> left_out;  // by name
};

inline constexpr std::size_t most_entries = 10000;  // files of any kind in one folder
inline constexpr std::size_t longest_name = 80;     // that the other side of the protocol reads

// Empty, or the reason why the folder cannot be read.
std::string read_folder(const std::filesystem::path& path, Folder& into);

// Where the inputs of a model are: NAME.inputs.pt for NAME.pt and for NAME.pt2. Empty, or the reason why there are
// none.
std::string find_inputs(const Folder& folder, const ModelFile& model, std::filesystem::path& into);

}  // namespace tbci::suite::exported
