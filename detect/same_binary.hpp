// Whether two builds are the same binary: then nothing that a build does can have become slower. Pure; safe from any
// thread.
#pragma once

#include <map>
#include <string>

#include "storage/model/night.hpp"

namespace tbci::detect {

/// What names the machine code of a build.
struct BuildFingerprint {
  /// As in model::Build::libraries: `library.torch` = `libtorch_cpu.so 3f2a91c0b3d27e11, ...`. Empty: not known.
  std::map<std::string, std::string> libraries;
  std::string inputs;  ///< hash of what is compiled, as in model::Commit::inputs; empty: not known
};

enum class Binaries { identical, different, unknown };

/// Equal inputs are compiled to equal binaries. Else the libraries as they were loaded decide, by their digests; where
/// one of them could not be read, or of one build they are not known, nothing is known of both.
Binaries compare_binaries(const BuildFingerprint& before, const BuildFingerprint& after);

/// The finding, but for a time between identical binaries, which raises no alarm (as in LLVM's LNT): a suspect or a
/// regression becomes `clear`, and so does an improvement, with the reason. Memory is left as it is: what is laid out
/// beside the code can change it. Only for benchmarks that run nothing but the libraries: a build may come with other
/// Python sources beside the same ones.
model::Finding without_alarm(model::Finding finding, Binaries binaries);

}  // namespace tbci::detect
