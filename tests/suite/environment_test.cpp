#include "torch_and_catch.hpp"

#include <algorithm>
#include <sstream>

#include "suite/environment.hpp"

using namespace tbci::suite;

TEST_CASE("Environment: mapped files that affect the numbers are listed once each", "[suite]") {
  std::istringstream maps(
      "7f0000000000-7f0000001000 r--p 00000000 08:01 12   /opt/my torch/lib/libgomp.so.1\n"
      "7f0000001000-7f0000002000 r-xp 00001000 08:01 12   /opt/my torch/lib/libgomp.so.1\n"
      "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"
      "7f0000003000-7f0000004000 r-xp 00000000 08:01 13   /usr/lib/libopenblasp-r0.3.21.so\n"
      "7f0000004000-7f0000005000 r-xp 00000000 08:01 14   /usr/lib/libz.so.1\n"
      "7f0000005000-7f0000006000 r-xp 00000000 08:01 15   /usr/lib/libc.so.6\n"
      "7f0000006000-7f0000007000 r-xp 00000000 08:01 16   /usr/lib/libcrypto.so.3\n"
      "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0    [stack]\n");
  CHECK(libraries_in(maps) == std::vector<std::string>{"/opt/my torch/lib/libgomp.so.1",
                                                       "/usr/lib/libopenblasp-r0.3.21.so", "/usr/lib/libc.so.6"});
}

TEST_CASE("Environment: a value is found after its label", "[suite]") {
  const std::string text = "first line\nATen parallel backend: OpenMP \n  label:\t x y\n";
  CHECK(value_after(text, "ATen parallel backend:") == "OpenMP");
  CHECK(value_after(text, "label:") == "x y");
  CHECK(value_after(text, "missing:").empty());
}

TEST_CASE("Environment: this process has libraries, threads and an affinity", "[suite]") {
  const Environment environment = read_environment(false);
  const auto has = [&](const std::string& name) {
    return std::any_of(environment.libraries.begin(), environment.libraries.end(),
                       [&](const std::string& path) { return path.find("/" + name) != std::string::npos; });
  };
  CHECK(has("libtorch_cpu.so"));
  CHECK(has("libc.so.6"));
  CHECK_FALSE(environment.cpu_capability.empty());
  CHECK_FALSE(environment.parallel_backend.empty());
  CHECK_FALSE(environment.affinity.empty());
  CHECK(environment.threads == at::get_num_threads());
  for (const std::string& library : environment.libraries) CHECK(library.front() == '/');
}
