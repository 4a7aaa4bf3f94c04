#include "suite/alternation.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <utility>

#include "suite/measure.hpp"
#include "tests/suite/torch_and_catch.hpp"
#include "tests/suite/truth/known.hpp"

using namespace tbci::suite;

namespace {

struct Sockets {
  std::array<int, 2> ends{};
  Sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0); }
  ~Sockets() {
    close(0);
    close(1);
  }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// Writes the letter at each turn, and '-' where nobody else ran since the last one. How many turns were beside another.
int take_turns(Alternation alternation, int turns, char letter, std::string& into) {
  alternation.meet(true);
  for (int i = 0; i < turns; ++i) {
    into += alternation.take() ? letter : '-';
    alternation.give(i + 1 == turns);
  }
  return alternation.turns();
}

class Counted final : public truth::Known {
 public:
  void iterate() override { ++iterations; }
  int iterations = 0;
};

}  // namespace

TEST_CASE("Alternation: two workers take turns, one by one", "[suite]") {
  for (int repetition = 0; repetition < 20; ++repetition) {
    Sockets sockets;
    std::string order;  // without a lock: only one of them has the turn
    std::thread second([&] { take_turns(Alternation(Alternate::second, sockets.ends[1]), 5, 'b', order); });
    take_turns(Alternation(Alternate::first, sockets.ends[0]), 5, 'a', order);
    CHECK(order == "ababababab");  // the first one does not go on before the second one has had its last turn
    second.join();
  }
}

TEST_CASE("Alternation: where the other worker has ended, every turn is this worker's", "[suite]") {
  for (const Alternate order : {Alternate::first, Alternate::second}) {
    Sockets sockets;
    sockets.close(1);
    std::string letters;
    CHECK(take_turns(Alternation(order, sockets.ends[0]), 3, 'a', letters) == 0);
    CHECK(letters == "---");
  }
}

TEST_CASE("Alternation: a worker whose partner ends in the middle goes on alone", "[suite]") {
  Sockets sockets;
  std::string letters;
  std::thread other([&] {
    Alternation alternation(Alternate::second, sockets.ends[1]);
    alternation.meet(true);
    alternation.take();
    alternation.give(false);
    sockets.close(1);
  });
  const int turns = take_turns(Alternation(Alternate::first, sockets.ends[0]), 4, 'a', letters);
  other.join();
  CHECK(letters == "aa--");  // the second one may be taken before the other one has closed its end
  CHECK(turns < 4);
}

namespace {

// How many iterations each worker runs for four that are measured, where the iterations of one are short, or not.
std::pair<int, int> iterations_of(bool first_is_short, bool second_is_short) {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  Sockets sockets;
  Counted one, other;
  const InstructionCounter counter;
  const auto run = [&](Counted& counted, Alternate order, bool is_short) {
    Protocol protocol(nowhere);
    Alternation alternation(order, sockets.ends[order == Alternate::first ? 0 : 1]);
    alternation.meet(is_short);
    measure(counted, {DeviceKind::cpu, 0, 4}, counter, alternation, protocol);
  };
  std::thread beside([&] { run(other, Alternate::second, second_is_short); });
  run(one, Alternate::first, first_is_short);
  beside.join();
  std::fclose(nowhere);
  return {one.iterations, other.iterations};
}

}  // namespace

TEST_CASE("Alternation: where the iterations of either worker are short, each follows one that is not measured",
          "[suite]") {
  CHECK(iterations_of(true, true) == std::pair(8, 8));
  CHECK(iterations_of(true, false) == std::pair(8, 8));
  CHECK(iterations_of(false, true) == std::pair(8, 8));
  CHECK(iterations_of(false, false) == std::pair(4, 4));
}

TEST_CASE("Alternation: without a partner nothing waits, and each iteration is measured", "[suite]") {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  Protocol protocol(nowhere);
  Counted counted;
  const InstructionCounter counter;
  Alternation alone;
  alone.meet(true);
  measure(counted, {DeviceKind::cpu, 0, 6}, counter, alone, protocol);
  CHECK(counted.iterations == 6);
  std::fclose(nowhere);
}
