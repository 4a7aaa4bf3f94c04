#include "runner/source/machine_trouble.hpp"

#include <string>

#include "tests/catch.hpp"

namespace tbci::machine_trouble_test {

using runner::machine_trouble;
using runner::machine_trouble_of_worker;

TEST_CASE("machine_trouble: ignores source code that quotes such words", "[recipe]") {
  CHECK(machine_trouble("a.cpp:1:2: error: #error No space left on device\n").empty());
  CHECK(machine_trouble("all is well\n").empty());
  CHECK_FALSE(machine_trouble("/tmp/cc.s: No space left on device\n").empty());
  CHECK_FALSE(machine_trouble("make: *** [Makefile:3: all] Error 127\n").empty());
  // A compiler quotes the source in its message.
  CHECK(machine_trouble("   12 | throw Error(\"No space left on device\");\n      |  ^~~~\n").empty());
  const std::string source_error = "a.cpp:3:1: error: expected ';'\n";
  CHECK(machine_trouble(source_error + "note: Connection refused\n").empty());
  CHECK(machine_trouble("a.cu(12): error: no\nnote: Connection refused\n").empty());
  CHECK(machine_trouble("a.cpp:1:1: fatal error: no.hpp: No such file\nmake: *** [all] Error 127\n").empty());
  CHECK_FALSE(machine_trouble("a.cpp:1:1: fatal error: error writing: No space left on device\n").empty());
  CHECK(machine_trouble(source_error + "make: *** [Makefile:3: all] Error 127\n").empty());
  CHECK_FALSE(machine_trouble(source_error + "c++: fatal error: Killed signal terminated program cc1plus\n").empty());
  CHECK_FALSE(machine_trouble(source_error + "/tmp/cc.s: No space left on device\n").empty());
  CHECK_FALSE(machine_trouble(source_error + "cp: cannot write: Disk quota exceeded\n").empty());
}

TEST_CASE("machine_trouble_of_worker: what a worker used up or misses is its own doing", "[recipe]") {
  for (const char* own :
       {"OSError: [Errno 24] Too many open files", "Thread creation failed: Resource temporarily unavailable",
        "terminate called after throwing 'std::bad_alloc'", "sh: 1: nvcc: command not found"}) {
    INFO(own);
    CHECK_FALSE(machine_trouble(own).empty());
    CHECK(runner::machine_trouble_of_worker(own).empty());
    // It does not hide what is the machine's.
    CHECK(runner::machine_trouble_of_worker(std::string(own) + "\nOSError: No space left on device\n")
              .starts_with("no space left"));
  }
  CHECK_FALSE(runner::machine_trouble_of_worker("Temporary failure in name resolution").empty());
}

TEST_CASE("machine_trouble: a network failure is a fault of the machine", "[recipe]") {
  for (const char* line :
       {"curl: (6) Could not resolve host: example.org",
        "WARNING: Retrying after connection broken by 'NewConnectionError(... [Errno -3] Temporary failure in name "
        "resolution')",
        "ERROR: HTTPSConnectionPool(host='example.org', port=443): Max retries exceeded with url: /",
        "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool: Read timed out.",
        "fatal: unable to access 'https://example.org/': Failed to connect: Connection refused",
        "error: RPC failed; curl 56 Recv failure: Connection reset by peer", "ERROR: HTTP error 503 while getting x",
        "ERROR: HTTP error 429 while getting x", "fatal: unable to access 'x': The requested URL returned error: 429",
        "ERROR: Could not find a version that satisfies the requirement setuptools (from versions: none)"}) {
    INFO(line);
    CHECK(machine_trouble(std::string("fetching\n") + line + "\n").starts_with("the network failed"));
  }
}

namespace {

struct Said {
  const char* tool;
  const char* log;
};

// What the tools print, with the lines around it that make it hard.
const Said of_the_machine[] = {
    {"gcc 12",
     "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"
     "make[2]: *** [CMakeFiles/a.dir/build.make:76: a.o] Error 1\n"},
    {"ccache", "ccache: error: Failed to create temporary file for /cache/tmp/a.s0shWf.ii: Permission denied\n"},
    {"gcc 7", "g++: internal compiler error: Killed (program cc1plus)\nPlease submit a full bug report,\n"},
    {"gcc, no memory", "cc1plus: out of memory allocating 65536 bytes after a total of 1474560 bytes\n"},
    {"gcc, limit", "virtual memory exhausted: Cannot allocate memory\n"},
    {"gcc, full disk", "a.cpp:1:1: fatal error: error writing to /tmp/ccE0Wkqg.s: No space left on device\n"},
    {"as, full disk",
     "/tmp/ccx.s: Assembler messages:\n/tmp/ccx.s: Fatal error: can't write 31 bytes to section .text of "
     "a.o: 'No space left on device'\n"},
    {"clang",
     "clang: error: unable to execute command: Killed\nclang: error: clang frontend command failed due to "
     "signal (use -v to see invocation)\n"},
    {"clang-14", "clang-14: error: unable to execute command: Killed\n"},
    {"clang, no memory", "LLVM ERROR: out of memory\nAllocation failed\n"},
    {"ld", "collect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated.\n"},
    {"ld by gcc 7", "collect2: error: ld terminated with signal 9 [Killed]\n"},
    {"ld, no memory", "/usr/bin/ld: final link failed: memory exhausted\ncollect2: error: ld returned 1 exit status\n"},
    {"ld, full disk",
     "/usr/bin/ld: final link failed: No space left on device\ncollect2: error: ld returned 1 exit "
     "status\n"},
    {"gold",
     "/usr/bin/ld.gold: fatal error: libtorch_cpu.so: mmap: failed to allocate 1834 bytes for output file: No "
     "space left on device\ncollect2: error: ld returned 1 exit status\n"},
    {"gold, files",
     "/usr/bin/ld.gold: fatal error: out of file descriptors and couldn't close any\n"
     "collect2: error: ld returned 1 exit status\n"},
    {"lld",
     "ld.lld: error: failed to open libtorch.so: Cannot allocate memory\n"
     "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n"},
    {"lld on a full disk", "collect2: fatal error: ld terminated with signal 7 [Bus error]\n"},
    {"mold", "mold: fatal: mmap failed: Cannot allocate memory\ncollect2: error: ld returned 1 exit status\n"},
    {"mold, killed",
     "clang: error: unable to execute command: Killed\nclang: error: linker command failed due to "
     "signal (use -v to see invocation)\n"},
    {"ar", "ar: libfoo.a: No space left on device\n"},
    {"nvcc", "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n"},
    {"ninja", "FAILED: [code=137] a.o\nninja: build stopped: subcommand failed.\n"},
    {"ninja, fork", "ninja: fatal: posix_spawn: Resource temporarily unavailable\n"},
    {"make", "make[1]: *** [Makefile:12: all] Error 137\nmake: *** [Makefile:3: default] Error 2\n"},
    {"make and a shell", "bash: line 1: 20211 Killed                  ./generate > a.h\nmake: *** [a.h] Error 1\n"},
    {"make, fork", "make: fork: Resource temporarily unavailable\n"},
    {"dash", "Killed\nmake: *** [Makefile:3: a.h] Error 1\n"},
    {"cmake, download",
     "CMake Error at cmake/External.cmake:12 (file):\n  file DOWNLOAD cannot compute hash on failed "
     "download\n    status: [28;\"Timeout was reached\"]\n"},
    {"cmake, name", "    status_code: 6\n    status_string: \"Couldn't resolve host name\"\n"},
    {"python", "subprocess.CalledProcessError: Command '['cmake', '--build', '.']' died with <Signals.SIGKILL: 9>.\n"},
    {"urllib", "urllib.error.HTTPError: HTTP Error 503: Service Unavailable\n"},
    {"pip", "WARNING: Retrying (Retry(total=4)) after connection broken by 'ProtocolError('Connection aborted.')'\n"},
    {"pip, name",
     "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='example.org', "
     "port=443): Max retries exceeded with url: /simple/\n"},
    {"git",
     "fatal: unable to access 'https://example.org/a.git/': Failed to connect to example.org port 443 after "
     "130 ms: Couldn't connect to server\n"},
    {"git, timeout", "fatal: unable to access 'https://example.org/a.git/': Connection timed out after 300 s\n"},
    {"git, 503", "fatal: unable to access 'https://example.org/a.git/': The requested URL returned error: 503\n"},
    {"git, cut off",
     "error: RPC failed; curl 18 transfer closed with outstanding read data remaining\n"
     "fatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n"},
    {"git, ssh",
     "ssh: connect to host example.org port 22: Connection timed out\nfatal: Could not read from remote "
     "repository.\n"},
    {"git, hung up", "fatal: the remote end hung up unexpectedly\n"},
    {"curl", "curl: (7) Failed to connect to example.org port 443: No route to host\n"},
    {"curl, slow", "curl: (28) Operation timed out after 30001 milliseconds with 0 out of 0 bytes received\n"},
    {"curl, name", "curl: (6) Could not resolve host: example.org\n"},
    {"resolver", "Temporary failure in name resolution\n"},
    {"a disk", "cp: error writing 'a.o': Input/output error\n"},
    {"torch", "RuntimeError: PytorchStreamWriter failed writing file data/3: file write failed\n"},
    {"torch, at the end", "RuntimeError: [enforce fail at inline_container.cc:595] . unexpected pos 64 vs 0\n"},
    {"packages of aoti", "the Python that makes packages does not work: making its package: exit code 2: g++: no\n"},
};

const Said of_the_source[] = {
    {"gcc", "a.cpp:3:1: error: expected ';' before '}' token\nmake: *** [a.o] Error 1\n"},
    {"gcc, a missing header", "a.cpp:1:10: fatal error: no.hpp: No such file or directory\ncompilation terminated.\n"},
    {"clang", "a.cpp:3:1: error: unknown type name 'x'\n1 error generated.\n"},
    {"nvcc", "a.cu(12): error: identifier \"x\" is undefined\n1 error detected in the compilation of \"a.cu\".\n"},
    {"ld",
     "/usr/bin/ld: a.o: in function `main':\na.cpp:(.text+0x5): undefined reference to `f()'\n"
     "collect2: error: ld returned 1 exit status\n"},
    {"gold",
     "a.o:a.cpp:function main: error: undefined reference to 'f()'\ncollect2: error: ld returned 1 exit "
     "status\n"},
    {"lld",
     "ld.lld: error: undefined symbol: f()\n>>> referenced by a.cpp\nclang: error: linker command failed with "
     "exit code 1 (use -v to see invocation)\n"},
    {"mold",
     "mold: error: undefined symbol: f()\n>>> referenced by a.o:(main)\ncollect2: error: ld returned 1 exit "
     "status\n"},
    {"cmake", "CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find Torch\n"},
    {"make", "make: *** No rule to make target 'a.cpp', needed by 'a.o'.  Stop.\n"},
    {"make, a code near 137", "make: *** [Makefile:3: test] Error 1370\n"},
    {"ninja", "ninja: error: 'a.cpp', needed by 'a.o', missing and no known rule to make it\n"},
    {"python", "subprocess.CalledProcessError: Command '['cmake']' returned non-zero exit status 1.\n"},
    {"a source that names them",
     "net.cpp:9:3: error: no member named 'retry' in 'Connection timed out'\n"
     "    9 |   throw Error(\"Failed to connect\");\n      |         ^~~~~\n"},
    {"a source error beside noise", "a.cpp:3:1: error: expected ';'\nnote: ld: memory exhausted is handled here\n"},
};

}  // namespace

TEST_CASE("machine_trouble: what tools say when the machine fails never counts as the source's fault", "[recipe]") {
  for (const Said& said : of_the_machine) {
    INFO(said.tool << ": " << said.log);
    CHECK_FALSE(machine_trouble(std::string("[1/2] Building a.o\n") + said.log).empty());
  }
}

TEST_CASE("machine_trouble: an error in the source stays one", "[recipe]") {
  for (const Said& said : of_the_source) {
    INFO(said.tool << ": " << machine_trouble(said.log));
    CHECK(machine_trouble(std::string("[1/2] Building a.o\n") + said.log).empty());
  }
}

TEST_CASE("machine_trouble: a kill counts although another file has an error, a failed download does not", "[recipe]") {
  const std::string error = "a.cpp:3:1: error: expected ';'\n";
  for (const char* sure : {"collect2: fatal error: ld terminated with signal 9 [Killed]\n",
                           "make: *** [b.o] Error 137\n", "clang: error: unable to execute command: Killed\n"})
    CHECK_FALSE(machine_trouble(error + sure).empty());
  for (const char* unsure : {"curl: (7) Failed to connect\n", "fatal: early EOF\n", "virtual memory exhausted\n"})
    CHECK(machine_trouble(error + unsure).empty());
}

TEST_CASE("machine_trouble_of_worker: a GPU that does not work is the machine's fault", "[recipe]") {
  for (const char* said : {"CUDA finds no GPU: CUDA driver version is insufficient for CUDA runtime version",
                           "CUDA error: uncorrectable ECC error encountered",
                           "CUDA error: CUDA-capable device(s) is/are busy or unavailable"}) {
    INFO(said);
    CHECK(machine_trouble_of_worker(said).starts_with("the GPU does not work ("));
  }
  CHECK(machine_trouble_of_worker("CUDA error: an illegal memory access was encountered").empty());
  CHECK(machine_trouble_of_worker("CUDA error: out of memory").empty());
}

}  // namespace tbci::machine_trouble_test
