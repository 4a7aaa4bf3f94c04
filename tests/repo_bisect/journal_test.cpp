#include "repo_bisect/journal.hpp"

#include <fstream>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::journal_test {

using namespace tbci::repo_bisect;

namespace {

struct Place {
  test::TemporaryDirectory folder;
  std::filesystem::path path = folder / "deep/journal.jsonl";

  Journal open() {
    auto journal = Journal::open(path);
    INFO((journal ? std::string() : journal.error().message));
    REQUIRE(journal);
    return std::move(*journal);
  }
  void append(const std::string& text) { std::ofstream(path, std::ios::app) << text; }
};

}  // namespace

TEST_CASE("Journal: a reopened journal has every record, to the last bit", "[repo_bisect]") {
  Place place;
  {
    Journal journal = place.open();
    REQUIRE(journal.put_build("aa", {true, ""}));
    REQUIRE(journal.put_build("bb", {false, "x.c:1: error: '\"\\\n\xff'"}));
    REQUIRE(journal.put_measurement("aa/1", {0.1 + 0.2, ""}));
    REQUIRE(journal.put_measurement("aa/2", {std::nullopt, "exit code 3"}));
    REQUIRE(journal.put_build("slow", {false, "too long", std::chrono::milliseconds(1500)}));
    REQUIRE(journal.put_measurement("slow/1", {std::nullopt, "too long", std::chrono::milliseconds(20)}));
    REQUIRE(journal.put_measurement("aa/4", {std::nullopt, "too long"}));
    REQUIRE(journal.put_measurement("aa/4", {2.5, ""}));
  }
  const Journal journal = place.open();
  REQUIRE(journal.build("aa") != nullptr);
  CHECK(journal.build("aa")->buildable);
  REQUIRE(journal.build("bb") != nullptr);
  CHECK_FALSE(journal.build("bb")->buildable);
  CHECK(journal.build("bb")->reason.find("x.c:1: error") == 0);
  CHECK(journal.build("cc") == nullptr);
  REQUIRE(journal.measurement("aa/1") != nullptr);
  CHECK(journal.measurement("aa/1")->value == 0.1 + 0.2);
  REQUIRE(journal.measurement("aa/2") != nullptr);
  CHECK(journal.measurement("aa/2")->value == std::nullopt);
  CHECK(journal.measurement("aa/2")->failure == "exit code 3");
  CHECK(journal.measurement("aa/3") == nullptr);
  CHECK(journal.measurement("aa/2")->ended_after.count() == 0);
  REQUIRE(journal.build("slow") != nullptr);
  CHECK(journal.build("slow")->ended_after == std::chrono::milliseconds(1500));
  REQUIRE(journal.measurement("slow/1") != nullptr);
  CHECK(journal.measurement("slow/1")->ended_after == std::chrono::milliseconds(20));
  REQUIRE(journal.measurement("aa/4") != nullptr);
  CHECK(journal.measurement("aa/4")->value == 2.5);
}

TEST_CASE("Journal: an incomplete last line is dropped", "[repo_bisect]") {
  Place place;
  REQUIRE(place.open().put_measurement("a", {1.5, ""}));
  place.append("{\"run\":\"b\",\"value\":2");
  {
    Journal journal = place.open();
    CHECK(journal.measurement("a") != nullptr);
    CHECK(journal.measurement("b") == nullptr);
    REQUIRE(journal.put_measurement("c", {3.0, ""}));
  }
  const Journal journal = place.open();
  CHECK(journal.measurement("a") != nullptr);
  CHECK(journal.measurement("b") == nullptr);
  REQUIRE(journal.measurement("c") != nullptr);
  CHECK(journal.measurement("c")->value == 3.0);
}

TEST_CASE("Journal: an incomplete first line makes a new journal", "[repo_bisect]") {
  Place place;
  REQUIRE(make_directories(place.path.parent_path()));
  place.append("{\"jour");
  REQUIRE(place.open().put_measurement("a", {1.5, ""}));
  CHECK(place.open().measurement("a") != nullptr);
}

TEST_CASE("Journal: an unknown line is named in the error, and the file is unchanged", "[repo_bisect]") {
  Place place;
  REQUIRE(place.open().put_measurement("a", {1.5, ""}));
  place.append("what is this\n");
  const std::string before = read_file(place.path).value();
  const auto journal = Journal::open(place.path);
  REQUIRE_FALSE(journal);
  CHECK(journal.error().message.find("line 3") != std::string::npos);
  CHECK(journal.error().message.find("--again") != std::string::npos);
  CHECK(read_file(place.path).value() == before);
  REQUIRE(write_file_atomically(place.path, "{\"journal\":2}\n"));
  CHECK_FALSE(Journal::open(place.path));
}

}  // namespace tbci::journal_test
