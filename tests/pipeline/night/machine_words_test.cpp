#include "pipeline/night/machine_words.hpp"

#include "tests/catch.hpp"

namespace tbci::machine_words_test {

using pipeline::MachineWords;

TEST_CASE("Machine words: the host's name goes where it stands as a word, and nowhere else", "[report]") {
  const MachineWords words({"bench", "bench-1.lan"}, "/var/lib/tbci");
  CHECK(words.without("bench-1.lan: bench said bench.") == "(host): (host) said (host).");
  CHECK(words.without("workbench benches bench_2 bench-2") == "workbench benches bench_2 bench-2");
  CHECK(words.without("") == "");
  // The longer name goes first: nothing of it stays.
  CHECK(MachineWords({"bench", "bench.lan"}, "").without("bench.lan, bench") == "(host), (host)");
}

TEST_CASE("Machine words: paths of the state folder lose their beginning", "[report]") {
  const MachineWords words({}, "/var/lib/tbci/");
  CHECK(words.without("no space in /var/lib/tbci/workers/a.log, /var/lib/tbci") ==
        "no space in (state)/workers/a.log, (state)");
  CHECK(words.without("/var/lib/tbci-2 and /srv/var/lib/tbci.old") == "/var/lib/tbci-2 and /srv/var/lib/tbci.old");
}

TEST_CASE("Machine words: a name of one letter stays, as it stands for anything", "[report]") {
  CHECK(MachineWords({"a", "pc", ""}, "").without("a pc, a pcb") == "a (host), a pcb");
}

}  // namespace tbci::machine_words_test
