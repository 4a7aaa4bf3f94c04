// A project of one source file, built by a shell.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/source/source_builder.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

// A small project whose build copies a file; a source with `broken` in it does not compile.
struct BuiltProject {
  TemporaryDirectory folder;
  GitFixture repository{folder / "theirs"};
  SystemProcessRunner processes;
  SystemClock clock;
  runner::Subject subject;
  std::filesystem::path state = folder / "state";

  BuiltProject() {
    write_torch_base(folder / "torch", "2.13.0+cpu");
    subject.name = "project";
    subject.torch_base = folder / "torch";
    subject.jobs = 1;
    subject.source.repository = repository.path().string();
    subject.source.recipe = {
        {"sh", "-c",
         "echo built >> " + (folder / "builds").string() +
             "; mkdir -p build; if grep -q broken src/a.cpp; then echo 'src/a.cpp:1:1: error: broken'; exit 1; "
             "fi; cp src/a.cpp build/lib.so"}};
    subject.source.compiled = {"src/**"};
    subject.source.product.preload = {"build/lib.so"};
  }

  std::string commit(const std::string& file, const std::string& text,
                     const std::string& time = "2026-01-05T08:00:00Z") {
    repository.write(file, text);
    return repository.commit("change " + file, time);
  }
  runner::SourceBuilder builder() { return runner::SourceBuilder(subject, state, processes, clock); }
  std::size_t builds() const {
    const auto text = read_file(folder / "builds");
    return text ? split(trim(*text), '\n').size() : 0;
  }
  model::Product built(const std::string& commit) {
    auto outcome = builder().build(commit, {});
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<model::Product>(*outcome));
    return std::get<model::Product>(*outcome);
  }
};

}  // namespace tbci::test
