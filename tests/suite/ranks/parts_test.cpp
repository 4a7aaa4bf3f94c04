// What needs no process: how work is shared out, how time is divided, who is to blame.
#include <sys/wait.h>

#include <csignal>
#include <numeric>
#include <set>

#include "suite/ranks/clicks.hpp"
#include "suite/ranks/cpus.hpp"
#include "suite/ranks/layout.hpp"
#include "suite/ranks/member.hpp"
#include "suite/ranks/parts.hpp"
#include "suite/ranks/shards.hpp"
#include "suite/ranks/verdict.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;
using namespace tbci::suite::ranks;

namespace {

End by_itself(int status) {
  return {status, false};
}

Answer said(std::int64_t time, const char* text, Reply reply = Reply::failed) {
  return {reply, time, text};
}

Pulse::Look look(std::vector<std::uint64_t> beats, std::vector<std::uint64_t> entered, bool iterates = true) {
  return {std::move(beats), std::move(entered), iterates};
}

}  // namespace

TEST_CASE("Ranks: a table in pieces is the whole table, once") {
  for (const Split split : {Split::table, Split::row, Split::column, Split::both}) {
    for (const int ranks : {1, 2, 3, 4}) {
      const auto pieces = split_tables({7, 101}, 10, split, ranks);
      std::set<std::vector<std::int64_t>> seen;
      for (const Piece& piece : pieces) {
        for (std::int64_t row = piece.row_begin; row < piece.row_end; ++row) {
          for (std::int64_t column = piece.column_begin; column < piece.column_end; ++column)
            CHECK(seen.insert({piece.table, row, column}).second);
        }
      }
      CHECK(seen.size() == 7 * 10 + 101 * 10);
    }
  }
}

TEST_CASE("Ranks: balanced pieces give each rank the same work as far as it goes") {
  std::vector<Piece> pieces = split_tables({9, 9, 9, 9, 9}, 4, Split::table, 2);
  const double costs[] = {8, 7, 6, 5, 4};
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].cost = costs[i];
  place(pieces, 2, Placement::balanced);
  std::vector<int> ranks;
  for (const Piece& piece : pieces) ranks.push_back(piece.rank);
  CHECK(ranks == std::vector<int>{0, 1, 1, 0, 0});  // 17 and 13: the costliest first, to the one who has least
  CHECK(imbalance(pieces, 2) == tbci::test::Approx(17 / 15.0));
  place(pieces, 2, Placement::in_order);
  CHECK(imbalance(pieces, 2) == tbci::test::Approx(21 / 15.0));
}

TEST_CASE("Ranks: a sample is the same whoever draws it, and the next iteration has others") {
  const ClickShape shape{3, {{50, 4}, {7, 2}}};
  const Clicks whole = draw_clicks(shape, 5, 1, {0, 8});
  const Clicks part = draw_clicks(shape, 5, 1, {3, 5});
  CHECK(std::vector<float>(whole.dense.begin() + 9, whole.dense.end()) == part.dense);
  CHECK(std::vector<float>(whole.target.begin() + 3, whole.target.end()) == part.target);
  for (std::size_t table = 0; table < 2; ++table) {
    const Asked &all = whole.tables[table], &some = part.tables[table];
    CHECK(std::vector<std::int32_t>(all.lengths.begin() + 3, all.lengths.end()) == some.lengths);
    CHECK(std::equal(some.rows.rbegin(), some.rows.rend(), all.rows.rbegin()));
    for (const std::int32_t row : all.rows) CHECK((row >= 0 && row < shape.tables[table].rows));
  }
  CHECK(draw_clicks(shape, 5, 2, {0, 8}).dense != whole.dense);
  CHECK(draw_clicks(shape, 6, 1, {0, 8}).dense != whole.dense);
}

TEST_CASE("Ranks: few rows get most lookups") {
  const Clicks clicks = draw_clicks({1, {{1000, 10}}}, 3, 0, {0, 1000});
  std::vector<int> counts(1000, 0);
  for (const std::int32_t row : clicks.tables[0].rows) ++counts[static_cast<std::size_t>(row)];
  std::sort(counts.rbegin(), counts.rend());
  const auto lookups = static_cast<double>(clicks.tables[0].rows.size());
  CHECK(lookups == tbci::test::Approx(10000).epsilon(0.05));
  // By Zipf's law the first ten of 1000 get log(11) / log(1001) of all, and the first log(2) / log(1001).
  CHECK(std::accumulate(counts.begin(), counts.begin() + 10, 0) / lookups == tbci::test::Approx(0.347).epsilon(0.1));
  CHECK(counts[0] / lookups == tbci::test::Approx(0.100).epsilon(0.1));
}

TEST_CASE("Ranks: the samples of a batch are shared out whole") {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    std::int64_t next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Samples samples = samples_of(rank, ranks, 50);
      CHECK(samples.first == next);
      CHECK((samples.count == 50 / ranks || samples.count == 50 / ranks + 1));
      next += samples.count;
    }
    CHECK(next == 50);
  }
}

TEST_CASE("Ranks: communication is hidden, exposed, or waiting for who comes late") {
  Parts parts;
  // Called from 100 to 110, the other one comes at 130, all is done at 180; wanted at 150: 30 are left.
  parts.add({100, 110, 130, 180, 150, 180});
  CHECK(parts.exposed() == 10 + 30);
  CHECK(parts.waiting() == 0);
  // Wanted at once, at 210; the other one comes at 260, and all is done at 300.
  parts.add({200, 210, 260, 300, 210, 300});
  CHECK(parts.waiting() == 50);
  CHECK(parts.exposed() == 40 + 10 + 40);
  // Done long before it is wanted.
  parts.add({400, 410, 405, 450, 600, 601});
  parts.end_iteration({0, 1000});
  CHECK(parts.hidden() == 20 + 40);
  CHECK(parts.exposed() == 90 + 10 + 1);
  CHECK(parts.compute() == 1000 - parts.exposed() - parts.waiting());
}

TEST_CASE("Ranks: communication is hidden by compute alone, and once however much of it there is") {
  Parts parts;
  // One is waited for while the other goes on; then both go on beside compute.
  parts.add({0, 10, 10, 200, 10, 100});
  parts.add({0, 10, 10, 200, 210, 211});
  parts.add({0, 10, 150, 250, 250, 251});
  parts.end_iteration({0, 300});
  CHECK(parts.hidden() == (200 - 100) + (250 - 200) - 1);
}

TEST_CASE("Ranks: what is under way from one iteration to the next is hidden in both, and not between them") {
  Parts parts;
  parts.add({100, 110, 110, 150, 150, 160});  // of the first one
  parts.end_iteration({0, 200});
  CHECK(parts.hidden() == 40);
  // Called in the first iteration, at 140: 10 of what follows are hidden already, and in 10 it waits for the other.
  parts.add({140, 140, 140, 340, 330, 340});
  parts.end_iteration({300, 400});
  CHECK(parts.hidden() == 40 + (200 - 160) + (330 - 300));
  // Nothing of it counts in the one after that.
  parts.end_iteration({400, 500});
  CHECK(parts.hidden() == 40 + 40 + 30);
}

TEST_CASE("Ranks: the one to blame is named, and not those that it takes along") {
  const Fate takes_along{1, "", by_itself(3 << 8), said(20, "Connection closed by peer")};
  CHECK(judge({takes_along, {2, "", by_itself(SIGKILL), {}}})->reason == "rank 2 died by signal 9");
  CHECK(judge({takes_along, {2, "gave no sign of life for 3 s", End{SIGKILL, true}, {}}})->reason ==
        "rank 2 gave no sign of life for 3 s");
  CHECK(judge({takes_along, {2, "", by_itself(3 << 8), said(10, "out of memory")}})->reason == "rank 2: out of memory");
  CHECK(judge({{1, "", End{SIGKILL, true}, {}}, {2, "", by_itself(7 << 8), {}}})->reason ==
        "rank 2 ended with exit code 7");
  CHECK(judge({{1, "", by_itself(3 << 8), said(1, "no such thing", Reply::unsupported)}})->unsupported);
  CHECK_FALSE(judge({{1, "", End{SIGKILL, true}, {}}, {2, "", End{SIGKILL, true}, {}}}).has_value());
}

TEST_CASE("Ranks: a rank hangs where its heart stops, or where the others wait for it") {
  Pulse silent(3, {3, 20});
  CHECK_FALSE(silent.look(look({0, 1, 1}, {0, 0, 0})));
  for (std::uint64_t i = 2; i < 4; ++i) CHECK_FALSE(silent.look(look({0, i, 1}, {0, i, i})));
  const auto found = silent.look(look({0, 4, 1}, {0, 4, 4}));
  REQUIRE(found);
  CHECK(found->rank == 2);

  Pulse slow_start(2, {3, 20});  // beats come once its libraries are loaded
  for (int i = 0; i < 10; ++i) CHECK_FALSE(slow_start.look(look({0, 0}, {0, 0}, false)));

  Pulse stuck(3, {3, 20});
  std::optional<Pulse::Hanging> hanging;
  int looks = 0;
  while (!hanging && looks < 100) {
    ++looks;
    const auto beats = static_cast<std::uint64_t>(looks);
    hanging = stuck.look(look({0, beats, beats}, {9, 8, 9}));
  }
  CHECK(looks == 21);
  CHECK(hanging->rank == 1);
  CHECK(hanging->why == "did not go on for 2 s in an iteration");

  Pulse idle(2, {3, 20});  // between two iterations nobody goes on
  for (std::uint64_t i = 1; i < 100; ++i) CHECK_FALSE(idle.look(look({0, i}, {5, 5}, false)));
}

TEST_CASE("Ranks: evidence comes back as it was sent") {
  const std::vector<Evidence> sent{{"bytes sent of rows", "", EvidenceUnit::bytes, 1048576.5},
                                   {"compute", "", EvidenceUnit::nanoseconds, 1.0 / 3.0},
                                   {"lookups", "", EvidenceUnit::count, 0}};
  const std::vector<Evidence> came = read_evidence(written(sent));
  REQUIRE(came.size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    CHECK(came[i].name == sent[i].name);
    CHECK(came[i].unit == sent[i].unit);
    CHECK(came[i].value == sent[i].value);
  }
}

TEST_CASE("Ranks: fewer CPUs than ranks is a reason not to run") {
  if (cpus_are_shared()) return;
  CHECK(why_too_few_cpus(2, 1, {0, 1}).empty());
  CHECK(why_too_few_cpus(2, 1, {3}) ==
        "2 ranks need a CPU each, and this process may use 1 (--ranks, --threads, the CPUs that the worker is pinned "
        "to)");
  CHECK(why_too_few_cpus(2, 2, {0, 1, 2}).find("2 ranks need 2 CPUs each") == 0);
  CHECK(cpus_of(1, 1, {4, 6}) == std::vector<int>{6});
  CHECK(cpus_of(1, 2, {0, 1, 2, 3}) == std::vector<int>{2, 3});
}
