#include "worker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace tbci::suite::test {
namespace {

namespace fs = std::filesystem;

std::vector<int> children_of(int pid) {
  std::vector<int> found;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file(task.path() / "children");
    for (int child = 0; file >> child;) found.push_back(child);
  }
  return found;
}

}  // namespace

std::string worker_of_tests() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / "tbci-worker").string();
}

RanksOfTests::RanksOfTests() {
  ::setenv("TBCI_RANK_PROGRAM", worker_of_tests().c_str(), 1);
  ::setenv("TBCI_RANKS_SHARE_CPUS", "1", 1);
}

RanksOfTests::~RanksOfTests() {
  ::unsetenv("TBCI_RANK_PROGRAM");
  ::unsetenv("TBCI_RANKS_SHARE_CPUS");
}

std::vector<int> children() {
  return children_of(static_cast<int>(::getpid()));
}

RunningWorker::RunningWorker(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const std::string program = worker_of_tests();
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int error = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
  if (error != 0) throw std::runtime_error("the worker does not start");
}

RunningWorker::~RunningWorker() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(output_);
}

std::vector<int> RunningWorker::ranks() const {
  return children_of(pid_);
}

std::string RunningWorker::next_line() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      const std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char text[4096];
    const ssize_t length = ::read(output_, text, sizeof text);
    if (length <= 0) return {};
    buffer_.append(text, static_cast<std::size_t>(length));
  }
}

std::string RunningWorker::rest() {
  std::string all;
  for (std::string line = next_line(); !line.empty(); line = next_line()) all += line + "\n";
  return all;
}

int RunningWorker::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool exists(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::size_t state = line.rfind(") ");
  return state != std::string::npos && line[state + 2] != 'Z';
}

}  // namespace tbci::suite::test
