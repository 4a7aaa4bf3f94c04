#include "runner/timeline.hpp"

#include "runner/protocol.hpp"
#include "tests/catch.hpp"

namespace tbci::timeline_test {

using model::Configuration;

namespace {

const std::string hello = R"({"type":"hello","protocol":1,"benchmark":"dlrm","configuration":"cpu-train"})";
const std::string lists = R"({"type":"names","names":["aten.mm.default","fp32"]}
{"type":"tensors","tensors":[[7,1,0,8,64],[8,1,1]]}
{"type":"iterations","iterations":[[900,21000,20500,31000,4,5]]}
{"type":"calls","calls":[[0,0,1000,20000,10,3,-1,2,0,-1,3]]}
{"type":"calls","calls":[[0,1,30000,10,0,0,12,0]]}
{"type":"work","work":[[1,1500,18000,0]]}
{"type":"later","later":[{"a":1}]}
{"type":"inputs","inputs":[7]})";
const std::string sum = R"({"type":"timeline","calls":2,"work":1,"cut_off":0,"dispatch_nanoseconds":812,)"
                        R"("fault_nanoseconds":640,"write_nanoseconds":80,"computing_fault_nanoseconds":700,)"
                        R"("computing_write_nanoseconds":900,"bytes_per_second":17,"flops_per_second":53})";
const std::string done = R"({"type":"done"})";

Result<model::Timeline> parse(const std::vector<std::string>& parts) {
  runner::TimelineReader reader({"dlrm", Configuration::cpu_train});
  for (const std::string& part : parts) {
    std::size_t from = 0;
    while (from <= part.size()) {
      const std::size_t end = std::min(part.find('\n', from), part.size());
      static_cast<void>(reader.take(std::string_view(part).substr(from, end - from)));
      from = end + 1;
    }
  }
  return std::move(reader).timeline();
}

std::string why_refused(const std::vector<std::string>& parts) {
  const auto parsed = parse(parts);
  return parsed ? "" : parsed.error().message;
}

bool says(const std::string& text, const std::string& words) {
  INFO(text);
  CHECK(text.find(words) != std::string::npos);
  return true;
}

}  // namespace

TEST_CASE("Timeline: reads the output of a worker", "[runner]") {
  const auto parsed = parse({hello, lists, sum, done});
  REQUIRE(parsed);
  CHECK(parsed->names == std::vector<std::string>{"aten.mm.default", "fp32"});
  REQUIRE(parsed->tensors.size() == 2);
  CHECK(parsed->tensors[0].storage == 7);
  CHECK(parsed->tensors[0].sizes == std::vector<std::int64_t>{8, 64});
  CHECK(parsed->tensors[1].on_gpu);
  REQUIRE(parsed->calls.size() == 2);
  const model::TimelineCall& call = parsed->calls[0];
  CHECK(call.begin == 1000);
  CHECK(call.end() == 21000);
  CHECK(call.waited == 10);
  CHECK(call.faults == 3);
  REQUIRE(call.inputs.size() == 2);
  CHECK(call.inputs[0].tensor == 0);
  CHECK_FALSE(call.inputs[0].written);
  CHECK(call.inputs[1].tensor == -1);
  REQUIRE(call.outputs.size() == 1);
  CHECK(call.outputs[0].tensor == 1);
  CHECK(call.outputs[0].written);
  CHECK(parsed->calls[1].thread == 1);
  CHECK(parsed->calls[1].sequence == 12);
  REQUIRE(parsed->iterations.size() == 1);
  CHECK(parsed->iterations[0].unwatched == 20500);
  CHECK(parsed->iterations[0].watched == 31000);
  CHECK(parsed->iterations[0].waited == 4);
  CHECK(parsed->iterations[0].faults == 5);
  REQUIRE(parsed->work.size() == 1);
  CHECK(parsed->work[0].movement);
  CHECK(parsed->work[0].call == 0);
  CHECK(parsed->inputs == std::vector<std::int64_t>{7});
  CHECK(parsed->speed.dispatch_nanoseconds == 812);
  CHECK(parsed->speed.writing.fault_nanoseconds == 640);
  CHECK(parsed->speed.writing.write_nanoseconds == 80);
  CHECK(parsed->speed.computing.fault_nanoseconds == 700);
  CHECK(parsed->speed.computing.write_nanoseconds == 900);
  CHECK(parsed->speed.flops_per_second == 53);
  CHECK_FALSE(parsed->cut_off);
  CHECK_FALSE(parsed->on_gpu);
}

TEST_CASE("Timeline: passes on the worker's own error", "[runner]") {
  CHECK(why_refused({hello, R"({"type":"error","kind":"unsupported","message":"no CUPTI"})"}) ==
        "unsupported: no CUPTI");
}

TEST_CASE("Timeline: rejects malformed output and says what is wrong", "[runner]") {
  says(why_refused({""}), "complete timeline");
  says(why_refused({hello, lists, sum}), "complete timeline");
  says(why_refused({lists, sum, done}), "hello is not the first line");
  says(why_refused({R"({"type":"hello","protocol":1,"benchmark":"bert","configuration":"cpu-train"})"}), "not dlrm");
  says(why_refused({hello, lists, done}), "without a timeline");
  says(why_refused({hello, sum, done}), "reports 2 calls and 1 pieces of work, but 0 and 0");
  says(why_refused({hello, R"({"type":"timeline","calls":1,"work":0,"cut_off":0})", done}), "reports 1 calls");
  says(why_refused({hello, lists, sum, lists}), "does not follow");
  says(why_refused({hello, lists, sum, done, lists}), "after done");
  says(why_refused({hello, R"({"type":"calls"})"}), "the list 'calls' is missing");
  for (const char* entry : {"[0,0,1,2,3]", "[0,0,1,2,3,4,-1,2,1]", "[-1,0,1,2,3,4,-1,0]", "[0,0,1,2,3,-4,-1,0]", "7",
                            R"(["a",0,1,2,3,4,-1,0])", "[0,0,99999999999999999999,2,3,4,-1,0]"})
    says(why_refused({hello, fmt::format(R"({{"type":"calls","calls":[{}]}})", entry)}), "entry of 'calls' is invalid");
  says(why_refused({hello, R"({"type":"tensors","tensors":[[1,0,2]]})"}), "entry of 'tensors'");
  // No tensor has that many dimensions, and no call that many tensors: together they would be gigabytes.
  const auto with_ones = [](std::string entry, int count) {
    for (int i = 0; i < count; ++i) entry += ",1";
    return entry + "]";
  };
  for (const auto& [count, wrong] : {std::pair(64, false), std::pair(65, true)}) {
    const std::string line = fmt::format(R"({{"type":"tensors","tensors":[{}]}})", with_ones("[1,0,0", count));
    CHECK((why_refused({hello, line}).find("entry of 'tensors'") != std::string::npos) == wrong);
  }
  for (const auto& [count, wrong] : {std::pair(2000, false), std::pair(2001, true)}) {
    const std::string line = fmt::format(R"({{"type":"calls","calls":[{}]}})", with_ones("[0,0,1,2,3,4,-1,7", count));
    CHECK((why_refused({hello, line}).find("entry of 'calls'") != std::string::npos) == wrong);
  }
  says(why_refused({hello, R"({"type":"iterations","iterations":[[1,2,3]]})"}), "entry of 'iterations'");
  says(why_refused({hello, R"({"type":"work","work":[[0,2,3]]})"}), "entry of 'work'");
  says(why_refused({hello, R"({"type":"names","names":[3]})"}), "entry of 'names'");
  says(why_refused({hello, "nonsense"}), "did not print JSON");
  says(why_refused({hello, std::string(runner::longest_protocol_line + 1, 'x')}), "a line of more than");
}

TEST_CASE("Timeline: negative lengths pass the reader, for the look into them says more", "[runner]") {
  const auto parsed = parse({hello, R"({"type":"calls","calls":[[0,0,5,-3,0,0,-1,0]]})",
                             R"({"type":"timeline","calls":1,"work":0,"cut_off":1})", done});
  REQUIRE(parsed);
  CHECK(parsed->calls[0].length == -3);
  CHECK(parsed->cut_off);
}

TEST_CASE("Timeline: ten million events end at the limit", "[runner]") {
  runner::TimelineReader reader({"dlrm", Configuration::cpu_train});
  REQUIRE(reader.take(hello));
  std::string line = R"({"type":"work","work":[[0,0,1,-1])";
  for (int i = 1; i < 4000; ++i) line += ",[0,0,1,-1]";
  line += "]}";
  int lines = 0;
  while (lines < 2500 && reader.take(line)) ++lines;
  CHECK(lines == 100);
  says(std::move(reader).timeline().error().message, "more than 400000 entries of 'work'");
}

TEST_CASE("Timeline: more numbers than any worker writes are refused before they fill the memory", "[runner]") {
  const auto read = [](std::size_t most_numbers) {
    runner::TimelineReader reader({"dlrm", Configuration::cpu_train}, most_numbers);
    std::string last;
    for (const std::string& line : {hello, std::string(R"({"type":"tensors","tensors":[[7,1,0,8,64],[8,1,1]]})"),
                                    std::string(R"({"type":"calls","calls":[[0,0,1000,20000,10,3,-1,2,0,-1,3]]})")}) {
      if (!reader.take(line)) last = line.substr(0, 16);
    }
    const auto timeline = std::move(reader).timeline();
    return last + (timeline ? "" : timeline.error().message);
  };
  CHECK(read(19).find("numbers") == std::string::npos);
  CHECK(read(18).find(R"({"type":"calls",its calls and tensors have more than 18 numbers)") == 0);
}

}  // namespace tbci::timeline_test
