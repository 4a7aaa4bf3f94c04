// The ranks of tests: processes of the worker that was built beside the tests, as a test is another program.
#pragma once

#include <string>
#include <vector>

namespace tbci::suite::test {

// While it lives, this process starts its ranks as processes of the worker, and ranks may share CPUs: a test runs on
// any machine.
class RanksOfTests {
 public:
  RanksOfTests();
  ~RanksOfTests();
  RanksOfTests(const RanksOfTests&) = delete;
  RanksOfTests& operator=(const RanksOfTests&) = delete;
};

// The processes that this process has started and that are still there, ended ones too that nobody waited for.
std::vector<int> children();

// The worker as a process of its own.
class RunningWorker {
 public:
  explicit RunningWorker(const std::vector<std::string>& arguments);
  ~RunningWorker();  // kills it
  RunningWorker(const RunningWorker&) = delete;
  RunningWorker& operator=(const RunningWorker&) = delete;

  int pid() const { return pid_; }
  std::vector<int> ranks() const;  // the processes that it has started
  std::string next_line();         // of its standard output; empty at the end
  std::string rest();              // until it ends
  int wait();                      // its exit code, or minus the signal

 private:
  int pid_ = -1;
  int output_ = -1;
  std::string buffer_;
};

std::string worker_of_tests();  // its path

bool exists(int pid);  // and is not a zombie

}  // namespace tbci::suite::test
