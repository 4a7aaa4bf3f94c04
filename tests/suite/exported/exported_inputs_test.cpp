// Files of inputs, good ones and those that lie.
#include "suite/exported/inputs.hpp"
#include "tests/suite/exported/fixtures.hpp"

using namespace tbci::suite;
using namespace tbci::suite::exported;
using namespace tbci::test;

namespace {

// A pickle of a tuple of one tensor of floats, byte by byte as Python's torch.save writes it.
std::string pickle(char claimed_elements, char rows, char columns, char row_stride) {
  using namespace std::string_literals;
  std::string text = "\x80\x02"s + "ctorch._utils\n_rebuild_tensor_v2\nq\x00("s;
  text +=
      "(X\x07\x00\x00\x00storageq\x01"s + "ctorch\nFloatStorage\nq\x02X\x01\x00\x00\x00"s + "0q\x03X\x03\x00\x00\x00"s;
  text += "cpuq\x04K"s + claimed_elements + "tq\x05QK\x00K"s + rows + "K"s + columns + "\x86q\x06K"s + row_stride;
  text += "K\x01\x86q\x07\x89"s + "ccollections\nOrderedDict\nq\x08)Rq\ttq\nRq\x0b\x85q\x0c."s;
  return text;
}

void save_pickled(const std::filesystem::path& file, const std::string& pickled, std::size_t floats) {
  save_archive(file, {{"data.pkl", pickled}, {"data/0", std::string(4 * floats, '\0')}});
}

std::string why_no_inputs(const std::filesystem::path& file) {
  Inputs inputs;
  const std::string why = read_inputs(file, inputs);
  CHECK(inputs.tensors.empty() == !why.empty());
  CHECK(why.find('\n') == std::string::npos);
  return why;
}

}  // namespace

TEST_CASE("Exported inputs: a list, a tuple, one tensor and a dict are read", "[exported]") {
  const TemporaryDirectory folder;
  const torch::Tensor x = torch::rand({4, 3}).t(), y = torch::arange(5);
  Inputs inputs;
  save_inputs(folder / "list.pt", {x, y});
  REQUIRE(read_inputs(folder / "list.pt", inputs).empty());
  REQUIRE(inputs.tensors.size() == 2);
  CHECK(torch::equal(inputs.tensors[0], x));
  CHECK(torch::equal(inputs.tensors[1], y));
  CHECK(inputs.batch() == 3);
  CHECK(inputs.text() == "Float[3, 4], Long[5]");
  CHECK(inputs.names.empty());

  save_value(folder / "tuple.pt", c10::ivalue::Tuple::create({x, y}));
  REQUIRE(read_inputs(folder / "tuple.pt", inputs).empty());
  CHECK(inputs.tensors.size() == 2);
  save_value(folder / "one.pt", c10::IValue(y.clone()));
  REQUIRE(read_inputs(folder / "one.pt", inputs).empty());
  CHECK(inputs.batch() == 5);

  c10::Dict<std::string, torch::Tensor> dict;
  dict.insert("z", x);
  dict.insert("a", y);
  save_value(folder / "dict.pt", dict);
  REQUIRE(read_inputs(folder / "dict.pt", inputs).empty());
  CHECK(inputs.names == std::vector<std::string>{"z", "a"});
  CHECK(torch::equal(inputs.tensors[1], y));
}

TEST_CASE("Exported inputs: files that Python wrote are read", "[exported]") {
  const TemporaryDirectory folder;
  save_pickled(folder / "a.pt", pickle(6, 2, 3, 3), 6);
  Inputs inputs;
  CHECK(read_inputs(folder / "a.pt", inputs) == "");
  CHECK(inputs.text() == "Float[2, 3]");
}

TEST_CASE("Exported inputs: a tensor that claims more than the file has is refused", "[exported]") {
  const TemporaryDirectory folder;
  save_pickled(folder / "storage.pt", pickle(100, 10, 10, 10), 6);
  CHECK(contains(why_no_inputs(folder / "storage.pt"), "claims 400 bytes of data, and the file has 24"));
  // LibTorch refuses some of these itself in newer versions, in its own words.
  save_pickled(folder / "strides.pt", pickle(6, 2, 3, 50), 6);
  CHECK_FALSE(why_no_inputs(folder / "strides.pt").empty());
  save_pickled(folder / "sizes.pt", pickle(6, 3, 3, 3), 6);
  CHECK_FALSE(why_no_inputs(folder / "sizes.pt").empty());
  save_pickled(folder / "nothing.pt", pickle(0, 2, 3, 3), 6);
  CHECK_FALSE(why_no_inputs(folder / "nothing.pt").empty());
}

TEST_CASE("Exported inputs: anything but a list of tensors is refused in one line", "[exported]") {
  const TemporaryDirectory folder;
  save_value(folder / "number.pt", c10::IValue(3));
  CHECK(contains(why_no_inputs(folder / "number.pt"), "number.pt: it holds a Int"));
  save_value(folder / "mixed.pt", c10::ivalue::Tuple::create({torch::ones({1}), 3}));
  CHECK(contains(why_no_inputs(folder / "mixed.pt"), "one of its inputs is not a tensor but of type Int"));
  c10::Dict<std::int64_t, torch::Tensor> by_number;
  by_number.insert(1, torch::ones({1}));
  save_value(folder / "keys.pt", by_number);
  CHECK(contains(why_no_inputs(folder / "keys.pt"), "a key of its dict is not a string"));
  save_inputs(folder / "empty.pt", std::vector<torch::Tensor>{});
  CHECK(contains(why_no_inputs(folder / "empty.pt"), "holds no tensor"));
  save_inputs(folder / "many.pt", std::vector<torch::Tensor>(most_inputs + 1, torch::ones({1})));
  CHECK(contains(why_no_inputs(folder / "many.pt"), "more than 1000"));
  write(folder / "text.pt", "hello");
  CHECK(contains(why_no_inputs(folder / "text.pt"), "not a zip archive"));
  save_archive(folder / "other.pt", {{"one", "first"}});
  CHECK_FALSE(why_no_inputs(folder / "other.pt").empty());
  save_archive(folder / "evil.pt", {{"data.pkl",
                                     "\x80\x02"
                                     "cos\nsystem\nq\x01X\x02"}});
  CHECK_FALSE(why_no_inputs(folder / "evil.pt").empty());
  save_module(folder / "module.pt");
  CHECK_FALSE(why_no_inputs(folder / "module.pt").empty());
}
