// A subject with a site of ready builds, for tests.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "runner/source/source_builder.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/file_server.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/runner/zips.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

/// Has some files by their addresses; all else is not there.
class Site final : public HttpClient {
 public:
  std::map<std::string, FileServer> files;
  std::vector<HttpRequest> asked;

  Result<HttpResponse> send(const HttpRequest& request) override {
    return receive(request, [](const HttpResponse&, std::string_view) { return Status(); });
  }
  Result<HttpResponse> receive(const HttpRequest& request, const TakePart& take) override {
    asked.push_back(request);
    if (const auto file = files.find(request.url); file != files.end()) return file->second.receive(request, take);
    return HttpResponse{.status = 404, .headers = {}, .body = {}};
  }
};

/// Runs all but the dynamic loader, which says what a test wants.
class OtherLoader final : public ProcessRunner {
 public:
  std::string says = "\tlibc.so.6 => /lib/libc.so.6 (0x0)\n";
  bool loads = true;

  Result<ProcessOutcome> run(const Command& command, std::stop_token stop) override {
    if (command.arguments.front() != "ldd") return processes_.run(command, std::move(stop));
    ProcessOutcome outcome;
    outcome.exit_code = loads ? 0 : 1;
    outcome.output = says;
    return outcome;
  }

 private:
  SystemProcessRunner processes_;
};

struct ReadyBench {
  TemporaryDirectory folder;
  GitFixture repository{folder / "theirs"};
  OtherLoader processes;
  ManualClock clock;
  Site site;
  runner::Subject subject;
  std::filesystem::path state = folder / "state";
  std::vector<std::string> lines;

  /// Its builds copy a file into a folder, and say so.
  ReadyBench() {
    subject.name = "project";
    subject.jobs = 1;
    subject.source.repository = repository.path().string();
    subject.source.compiled = {"src/**"};
    subject.source.product = {.preload = {}, .libtorch = {}, .folder = "{prefix}/package"};
    subject.source.recipe = {{"sh", "-c", "echo built >> " + (folder / "builds").string() + "; ! grep broken src/a"},
                             {"mkdir", "{prefix}/package"},
                             {"cp", "src/a", "{prefix}/package/a"}};
    subject.source.needed_free_bytes = 1;
    subject.source.ready.url = "https://builds.example.org/{commit}.zip";
  }

  std::string commit(const std::string& text, const std::string& file = "src/a") {
    repository.write(file, text);
    return repository.commit("change " + file, "2026-01-05T08:00:00Z");
  }
  static std::string address_of(const std::string& commit) { return "https://builds.example.org/" + commit + ".zip"; }

  /// Puts an archive of a commit on the site.
  FileServer& publish(const std::string& commit, const std::vector<ZipEntry>& entries) {
    return site.files.insert_or_assign(address_of(commit), FileServer(zip_bytes(folder.path(), entries))).first->second;
  }
  FileServer& publish_good(const std::string& commit) { return publish(commit, {{"package/a", "ready\n"}}); }
  void publish_digest(const std::string& commit, const std::string& text) {
    subject.source.ready.sha256_url = "https://builds.example.org/{commit}.sha256";
    site.files.insert_or_assign("https://builds.example.org/" + commit + ".sha256", FileServer(text));
  }

  Result<runner::BuildOutcome> build(const std::string& commit, const std::stop_token& stop = {},
                                     const runner::LineSink& more = {}) {
    runner::SourceBuilder builder(
        subject, state, processes, clock,
        [&](std::string_view line) {
          lines.emplace_back(line);
          runner::send_line(more, line);
        },
        {}, &site);
    return builder.build(commit, stop);
  }
  model::Product built(const std::string& commit) {
    auto outcome = build(commit);
    INFO((outcome ? std::string() : outcome.error().message));
    REQUIRE(outcome);
    REQUIRE(std::holds_alternative<model::Product>(*outcome));
    return std::get<model::Product>(*outcome);
  }
  /// What is in the file that a build copies: `ready` in the archives above.
  std::string text_of_built(const std::string& commit) {
    return read_file(built(commit).folder / "a").value_or("none");
  }
  std::size_t builds() const {
    const auto text = read_file(folder / "builds");
    return text ? split(trim(*text), '\n').size() : 0;
  }
  std::string log_of(const std::string& commit) const {
    return read_file(state / "logs" / (commit + ".log")).value_or("");
  }
  bool said(std::string_view part) const {
    return std::ranges::any_of(lines, [&](const std::string& line) { return contains(line, part); });
  }
};

}  // namespace tbci::test
