// A home of its own for each command that runs the code under test, and the folders that such a command may write.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"

namespace tbci::runner {

/// Where the code under test is confined. Without a folder it is not: it gets our home and may write what we may.
struct Confinement {
  std::filesystem::path folder;                      ///< the homes appear below it, and the compiler's cache
  std::vector<std::filesystem::path> writable = {};  ///< more folders that the subject's commands may write
  std::vector<std::filesystem::path> hidden = {};    ///< absolute paths that no command may read: a token, the database
};

/// An empty home and an empty folder for temporary files, removed with the object. Nothing that one build or
/// measurement leaves in its home reaches another one.
class PrivateHome {
 public:
  /// Also removes the homes that killed processes left. Error (machine): no space, no permission.
  static Result<PrivateHome> make(Confinement confinement);
  PrivateHome(PrivateHome&& other) noexcept;
  PrivateHome& operator=(PrivateHome&& other) noexcept;
  ~PrivateHome();

  /// Gives the command this home, and lets it write there, to the confinement's folders and to `own`, nowhere else.
  void confine(Command& command, std::vector<std::filesystem::path> own = {}) const;
  /// The same for a command that compiles: it may write the compiler's cache as well, which is CCACHE_DIR where that is
  /// set and otherwise belongs to the confinement.
  Status confine_compiler(Command& command, std::vector<std::filesystem::path> own) const;

 private:
  PrivateHome(Confinement confinement, std::filesystem::path folder);
  Confinement confinement_;
  std::filesystem::path folder_;  ///< empty: not confined, or moved from
};

}  // namespace tbci::runner
