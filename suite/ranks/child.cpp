#include "suite/ranks/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace tbci::suite::ranks {
namespace {

std::string program_of_ranks() {
  const char* other = std::getenv("TBCI_RANK_PROGRAM");
  return other != nullptr && *other != '\0' ? other : "/proc/self/exe";
}

// Out of the way of the numbers that the child finds open.
Descriptor moved_up(int descriptor) {
  return Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, page_descriptor + 1));
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  posix_spawn_file_actions_t* get() { return &actions_; }
  void place(const Descriptor& from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from.number(), to); }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

// posix_spawn and not fork: LibTorch has threads, of which a fork has none.
Child::Child(const std::vector<std::string>& arguments, const Opened& opened) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const std::array<Descriptor, 3> files{moved_up(opened.channel), moved_up(opened.meeting), moved_up(opened.page)};
  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), STDERR_FILENO, STDOUT_FILENO);
  actions.place(files[0], channel_descriptor);
  actions.place(files[1], meeting_descriptor);
  actions.place(files[2], page_descriptor);
  const int error = ::posix_spawn(&pid_, program_of_ranks().c_str(), actions.get(), nullptr, words.data(), environ);
  if (error != 0) throw std::runtime_error(std::string("cannot start a rank: ") + std::strerror(error));
}

Child::~Child() {
  kill();
}

bool Child::runs() {
  if (end_) return false;
  int status = 0;
  pid_t ended;
  do {
    ended = ::waitpid(pid_, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return true;
  end_ = End{ended == pid_ ? status : 0, false};
  return false;
}

void Child::kill() {
  if (!runs()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  end_ = End{status, true};
}

}  // namespace tbci::suite::ranks
