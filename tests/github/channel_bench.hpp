// A server, a token file and a channel between them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "github/github_channel.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/github/facts.hpp"
#include "tests/github/stub_server.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline const std::string secret_token = "ghp_0123456789SecretSecretSecret";

struct ChannelBench {
  ChannelBench() {
    write_token(secret_token + "\n");
    settings.repository = "octo/demo";
    settings.token_file = directory / "token";
    settings.base_url = server.url();
    settings.time_limit = std::chrono::seconds(20);
    server.with([&](StubGithub& github) { github.now = clock.now(); });
  }
  void write_token(const std::string& text, std::filesystem::perms permissions = std::filesystem::perms::owner_read |
                                                                                 std::filesystem::perms::owner_write) {
    REQUIRE(write_file_atomically(directory / "token", text));
    std::filesystem::permissions(directory / "token", permissions);
  }
  /// A new one: it knows nothing of what was before.
  std::unique_ptr<github::Channel> channel() {
    auto made = github::make_github_channel(settings, http, clock);
    REQUIRE(made);
    return std::move(*made);
  }
  github::Attempt deliver(const model::Report& sent, std::stop_token stop = {}) {
    return channel()->deliver({.report = sent}, stop);
  }

  TemporaryDirectory directory;
  StubServer server{secret_token};
  ManualClock clock{at(std::chrono::seconds(1'800'000'000))};
  CurlHttpClient http;
  github::GithubSettings settings;
  model::Report report = github::make_report(culprit_facts());
};

/// Captures standard error, which contains the log, while it lives.
class CapturedLog {
 public:
  explicit CapturedLog(const std::filesystem::path& path) : path_(path), kept_(::dup(2)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, 2);
    ::close(file);
  }
  ~CapturedLog() {
    ::dup2(kept_, 2);
    ::close(kept_);
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  std::string text() const { return read_file(path_).value_or(""); }

 private:
  std::filesystem::path path_;
  int kept_;
};

}  // namespace tbci::test
