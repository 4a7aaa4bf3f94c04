#include "suite/alternation.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

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

// Writes the letter at each turn.
void take_turns(Alternation alternation, int turns, char letter, std::string& into) {
  alternation.meet();
  for (int i = 0; i < turns; ++i) {
    alternation.take();
    into += letter;
    alternation.give(i + 1 == turns);
  }
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
    take_turns(Alternation(order, sockets.ends[0]), 3, 'a', letters);
    CHECK(letters == "aaa");
  }
}

TEST_CASE("Alternation: a worker whose partner ends in the middle goes on alone", "[suite]") {
  Sockets sockets;
  std::string letters;
  std::thread other([&] {
    Alternation alternation(Alternate::second, sockets.ends[1]);
    alternation.meet();
    alternation.take();
    alternation.give(false);
    sockets.close(1);
  });
  take_turns(Alternation(Alternate::first, sockets.ends[0]), 4, 'a', letters);
  other.join();
  CHECK(letters == "aaaa");
}

TEST_CASE("Alternation: without a partner nothing waits, and no iteration is left out of the measurement", "[suite]") {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  Protocol protocol(nowhere);
  Counted alone;
  const InstructionCounter counter;
  measure(alone, {DeviceKind::cpu, 0, 6}, counter, Alternation(), protocol);
  CHECK(alone.iterations == 6);
  std::fclose(nowhere);
}

TEST_CASE("Alternation: a short iteration follows one that is not measured", "[suite]") {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  Sockets sockets;
  Counted one, other;
  const InstructionCounter counter;
  std::thread beside([&] {
    Protocol protocol(nowhere);
    measure(other, {DeviceKind::cpu, 0, 4}, counter, Alternation(Alternate::second, sockets.ends[1]), protocol);
  });
  Protocol protocol(nowhere);
  measure(one, {DeviceKind::cpu, 0, 4}, counter, Alternation(Alternate::first, sockets.ends[0]), protocol);
  beside.join();
  CHECK(one.iterations == 8);
  CHECK(other.iterations == 8);
  std::fclose(nowhere);
}
