#include "base/text.hpp"

#include "base/clock.hpp"
#include "tests/catch.hpp"

namespace tbci::text_test {

using namespace std::chrono_literals;

TEST_CASE("human_difference: the sign is always there", "[text]") {
  using std::chrono::microseconds;
  CHECK(human_difference(microseconds(3000)) == "+3 ms");
  CHECK(human_difference(microseconds(-150)) == "-150 us");
  CHECK(human_difference(microseconds(0)) == "+" + human_duration(microseconds(0)));
}

TEST_CASE("sha256_hex: the values that FIPS 180-2 publishes", "[text]") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("nearest_name: a typo finds its name, another word finds none", "[text]") {
  const std::vector<std::string> known = {"resnet18", "mobilenet_v2", "dlrm"};
  CHECK(nearest_name("resnet81", known) == "resnet18");
  CHECK(nearest_name("mobilnet_v2", known) == "mobilenet_v2");
  CHECK(nearest_name("dlmr", known) == "dlrm");
  CHECK(nearest_name("mob", known) == "mobilenet_v2");  // only one begins so
  CHECK_FALSE(nearest_name("--", std::vector<std::string>{"--subject"}));
  const std::vector<std::string> commands = {"run", "regressions", "report"};
  CHECK(nearest_name("reg", commands) == "regressions");
  CHECK(nearest_name("re", commands) != "regressions");  // two do
  CHECK_FALSE(nearest_name("transformer", known));
  CHECK_FALSE(nearest_name("x", {}));
  CHECK(did_you_mean("dlrn", known) == " (did you mean 'dlrm'?)");
  CHECK(did_you_mean("completely else", known).empty());
}

TEST_CASE("one_line: no control characters, cut between characters, never longer than asked", "[text]") {
  CHECK(one_line("  two\nlines\t\x1b[31m ") == "two lines  [31m");
  CHECK(one_line("abcdefghij", 10) == "abcdefghij");
  CHECK(one_line("abcdefghijk", 10) == "abcdefg...");
  const std::string umlauts = "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4";
  const std::string cut = one_line(umlauts, 10);
  CHECK(cut.size() <= 10);
  CHECK(cut == "\xC3\xA4\xC3\xA4\xC3\xA4...");
  CHECK(one_line("").empty());
}

TEST_CASE("valid_utf8: what is valid stays, every other byte is replaced", "[text]") {
  CHECK(valid_utf8("plain \xE2\x82\xAC \xF0\x9F\x98\x80") == "plain \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(valid_utf8("a\xFF"
                   "b") == "a" + replaced + "b");
  CHECK(valid_utf8("\xC3") == replaced);                                               // cut off
  CHECK(valid_utf8("\xC0\xAF") == replaced + replaced);                                // overlong
  CHECK(valid_utf8("\xED\xA0\x80") == replaced + replaced + replaced);                 // a surrogate
  CHECK(valid_utf8("\xF5\x80\x80\x80") == replaced + replaced + replaced + replaced);  // beyond U+10FFFF
}

TEST_CASE("split, trim and join", "[text]") {
  CHECK(split("a,,b,", ',') == std::vector<std::string>{"a", "", "b", ""});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(trim(" \t\r\n x y \n") == "x y");
  CHECK(trim(" \n ").empty());
  const std::vector<std::string> parts = {"a", "b"};
  CHECK(join(parts, ", ") == "a, b");
}

TEST_CASE("shell_quoted: a POSIX shell reads the argument back", "[text]") {
  CHECK(shell_quoted("plain/path-1.0") == "plain/path-1.0");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("counted: one has no plural", "[text]") {
  CHECK(counted(1, "commit") == "1 commit");
  CHECK(counted(0, "commit") == "0 commits");
  CHECK(counted(1, "process", "processes") == "1 process");
  CHECK(counted(12, "process", "processes") == "12 processes");
}

TEST_CASE("human_bytes, human_count, human_duration, human_change: as a person would say it", "[text]") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1536) == "1.50 KiB");
  CHECK(human_bytes(64.0 * (1 << 20)) == "64 MiB");
  CHECK(human_count(0) == "0");
  CHECK(human_count(812e6) == "812 M");
  CHECK(human_count(1.5e9) == "1.50 G");
  CHECK(human_change(0.081) == "+8.1%");
  CHECK(human_change(-0.25) == "-25.0%");
  CHECK(human_certainty(0.99931) == "99.93%");
  CHECK(human_certainty(0.99989) == "99.98%");  // never more certain than it is
  CHECK(human_certainty(1) == "over 99.99%");
  CHECK(human_certainty(0) == "0.00%");
  CHECK(human_duration(12300us) == "12.3 ms");
  CHECK(human_duration(65s) == "1 min 5 s");
}

TEST_CASE("to_iso8601 and to_date: UTC", "[clock]") {
  // date -u -d @1767776523 says 2026-01-07T09:02:03Z.
  const TimePoint time{std::chrono::milliseconds(1767776523000)};
  CHECK(to_iso8601(time) == "2026-01-07T09:02:03Z");
  CHECK(to_date(time) == "2026-01-07");
  CHECK(to_date(TimePoint{}) == "1970-01-01");
}

TEST_CASE("SystemClock: a sleep ends at once when a stop was requested", "[clock]") {
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(SystemClock().sleep_for(1h, stop.get_token()));
  CHECK(SystemClock().sleep_for(1ms, {}));
}

}  // namespace tbci::text_test
