// TorchScript modules of a folder as benchmarks: measured, and what each lie about them is answered.
#include "suite/exported/reason.hpp"
#include "tests/suite/exported/fixtures.hpp"

namespace fs = std::filesystem;
using namespace tbci::suite;
using namespace tbci::suite::exported;
using namespace tbci::test;

TEST_CASE("Exported TorchScript: a run is hello, samples, memory, done, with the batch of its inputs", "[exported]") {
  const TemporaryDirectory folder;
  save_module(folder / "product.pt");
  save_inputs(folder / "product.inputs.pt", {torch::ones({4, 3})});
  const auto run = [&](Protocol& protocol) { return run_benchmark(measuring(folder.path(), "product.pt"), protocol); };
  const auto lines = lines_of(run, exit_done);
  REQUIRE(lines.size() == 6);
  CHECK(contains(lines[0], R"("benchmark":"product.pt","configuration":"cpu-infer","size":"ci","batch":4)"));
  CHECK(contains(lines[1], R"({"type":"sample","iteration":0,)"));
  CHECK(contains(lines[4], R"({"type":"memory","cpu_peak_bytes":)"));
  CHECK(contains(lines[5], R"({"type":"done","samples":3,)"));
  CHECK(contains(lines[5], R"("parameters":6)"));
}

TEST_CASE("Exported TorchScript: it runs on its inputs in eval mode and keeps no graph", "[exported]") {
  const TemporaryDirectory folder;
  save_module(folder / "product.pt");
  save_inputs(folder / "product.inputs.pt", {torch::ones({4, 3})});
  const Tensors results = results_of(folder.path(), "product.pt");
  REQUIRE(results.size() == 1);
  CHECK(torch::equal(results[0], torch::full({4, 2}, 3.0F)));
  CHECK_FALSE(results[0].requires_grad());
}

TEST_CASE("Exported TorchScript: a dict gives arguments by name, and nested outputs are found", "[exported]") {
  const TemporaryDirectory folder;
  torch::jit::Module module("Difference");
  module.define(
      "def forward(self, minuend, subtrahend):\n"
      "    return [(minuend - subtrahend, subtrahend)], {'sum': minuend + subtrahend}\n");
  module.save((folder / "difference.pt").string());
  c10::Dict<std::string, torch::Tensor> dict;
  dict.insert("subtrahend", torch::full({2}, 3.0F));
  dict.insert("minuend", torch::full({2}, 5.0F));
  save_value(folder / "difference.inputs.pt", dict);
  const Tensors results = results_of(folder.path(), "difference.pt");
  REQUIRE(results.size() == 3);
  CHECK(torch::equal(results[0], torch::full({2}, 2.0F)));
  CHECK(torch::equal(results[2], torch::full({2}, 8.0F)));
}

TEST_CASE("Exported TorchScript: its operators are printed", "[exported]") {
  const TemporaryDirectory folder;
  save_module(folder / "product.pt");
  save_inputs(folder / "product.inputs.pt", {torch::ones({4, 3})});
  const RunOptions options = measuring(folder.path(), "product.pt");
  const auto lines = lines_of([&](Protocol& protocol) { return tell_operators(options, protocol); }, exit_done);
  CHECK(contains(lines[1], R"("aten.mm.default":1)"));
}

TEST_CASE("Exported TorchScript: inputs that do not fit give a one-line exception that shows them", "[exported]") {
  const TemporaryDirectory folder;
  save_module(folder / "product.pt");
  const auto answer = [&](const std::vector<torch::Tensor>& inputs) {
    save_inputs(folder / "product.inputs.pt", inputs);
    const std::string line = failure(folder.path(), "product.pt");
    CHECK(contains(line, R"("kind":"exception","message":"product.pt does not run on its inputs ()"));
    CHECK_FALSE(contains(line, "\\n"));
    return line;
  };
  const std::string shape = answer({torch::ones({4, 5})});
  CHECK(contains(shape, "(Float[4, 5])"));
  CHECK(contains(shape, "cannot be multiplied (4x5 and 3x2)"));
  CHECK(contains(answer({torch::ones({4, 3}, torch::kLong)}), "(Long[4, 3])"));
  CHECK(contains(answer({torch::ones({4, 3}), torch::ones({1})}), "forward"));
}

TEST_CASE("Exported TorchScript: missing inputs are named", "[exported]") {
  const TemporaryDirectory folder, elsewhere;
  save_module(folder / "product.pt");
  const std::string missing = failure(folder.path(), "product.pt");
  CHECK(contains(missing, R"("kind":"exception","message":"product.inputs.pt is missing)"));
  CHECK(contains(missing, "torch.save"));
  save_inputs(elsewhere / "x.pt", {torch::ones({4, 3})});
  fs::create_symlink(elsewhere / "x.pt", folder / "product.inputs.pt");
  CHECK(contains(failure(folder.path(), "product.pt"), "link out of the folder"));
}

TEST_CASE("Exported TorchScript: a file that does not load is an exception with the reason", "[exported]") {
  const TemporaryDirectory folder;
  save_inputs(folder / "a.inputs.pt", {torch::ones({4, 3})});
  const auto answer = [&] {
    const std::string line = failure(folder.path(), "a.pt");
    CHECK(contains(line, R"("kind":"exception","message":"a.pt )"));
    return line;
  };
  write(folder / "a.pt", "no module");
  CHECK(contains(answer(), "a.pt does not load: it is not a zip archive"));
  save_module(folder / "whole");
  const std::string whole = text_of(folder / "whole");
  write(folder / "a.pt", whole.substr(0, whole.size() / 2));
  CHECK(contains(answer(), "does not load"));
  save_inputs(folder / "a.pt", {torch::ones({4, 3})});
  CHECK(contains(answer(), "there is no code in it"));
  save_archive(folder / "a.pt", {{"code/x.py", "def"}, {"data.pkl", "nonsense"}});
  CHECK(contains(answer(), "does not load"));
}

TEST_CASE("Exported models: training, other batches and unknown names are unsupported", "[exported]") {
  const TemporaryDirectory folder;
  save_module(folder / "product.pt");
  save_inputs(folder / "product.inputs.pt", {torch::ones({4, 3})});
  RunOptions options = measuring(folder.path(), "product.pt");
  options.batch = 8;
  std::string line = failure(options);
  CHECK(contains(line, R"("kind":"unsupported")"));
  CHECK(contains(line, "batch of 4"));
  options.batch = 4;
  lines_of([&](Protocol& protocol) { return run_benchmark(options, protocol); }, exit_done);
  options.configuration = all_configurations[0];
  CHECK(contains(failure(options), R"("kind":"unsupported","message":"product.pt has no training)"));
  line = failure(folder.path(), "prodct.pt");
  CHECK(contains(line, R"("kind":"unsupported")"));
  CHECK(contains(line, "it has product.pt"));
  CHECK(contains(failure(folder.path(), "resnet18"), R"("kind":"unsupported")"));
}

TEST_CASE("Exported models: LibTorch's message is reduced to the line with the reason", "[exported]") {
  CHECK(telling_line("one\ntwo\n") == "one");
  CHECK(telling_line("\n  \n  Unknown builtin op: my::op.\nHere it is:\n") == "Unknown builtin op: my::op.");
  CHECK(telling_line("The following operation failed.\nTraceback of TorchScript:\n  File \"code\", line 9: x\n"
                     "RuntimeError: sizes do not fit\n") == "RuntimeError: sizes do not fit");
  CHECK(telling_line("") == "it did not say why");
  CHECK(telling_line(std::string(1000, 'x')).size() < 310);
  const auto thrown_for = [](const auto& error) {
    try {
      try {
        throw error;
      } catch (...) {
        rethrow("it fails");
      }
    } catch (const Unsupported& unsupported) {
      return std::string("unsupported ") + unsupported.what();
    } catch (const std::bad_alloc&) {
      return std::string("memory");
    } catch (const std::exception& other) {
      return std::string("exception ") + other.what();
    }
  };
  CHECK(thrown_for(std::runtime_error("no\nreally")) == "exception it fails: no");
  CHECK(thrown_for(std::runtime_error("\nUnknown builtin op: a::b")) ==
        "unsupported it fails: Unknown builtin op: a::b");
  CHECK(thrown_for(Unsupported("as it was")) == "unsupported as it was");
  CHECK(thrown_for(std::bad_alloc()) == "memory");
}
