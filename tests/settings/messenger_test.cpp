#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::messenger_setting_test {

using namespace tbci::settings;

TEST_CASE("Configuration: a messenger delivers to GitHub unless a file of the token is named", "[config]") {
  const auto messenger = [](const std::string& report) {
    return parse_config("[report]\n" + report + "[report.github]\nrepository = \"o/n\"\n", "x.toml")
        .value()
        .report.messenger;
  };
  CHECK(messenger("channels = [\"github\"]\n"));
  CHECK_FALSE(messenger("channels = [\"folder\"]\n"));
  CHECK_FALSE(messenger("channels = [\"github\"]\nmessenger = false\n"));
}

TEST_CASE("Configuration: in place of a token it can be a GitHub App", "[config]") {
  const std::string github = "[report]\nchannels = [\"github\"]\n[report.github]\nrepository = \"o/n\"\n";
  const auto config = parse_config(github +
                                       "certificates = \"/c.pem\"\nproxy = \"http://p:1\"\nwrites_in_an_hour = 9\n"
                                       "app = { id = \"Iv1\", installation = 77, key_file = \"/k.pem\" }\n",
                                   "x.toml");
  REQUIRE(config);
  const GithubConfig& read = config->report.github;
  CHECK(read.app->id == "Iv1");
  CHECK(read.app->installation == 77);
  CHECK(read.app->key_file == "/k.pem");
  CHECK(read.certificates == "/c.pem");
  CHECK(read.proxy == "http://p:1");
  CHECK(read.writes_in_an_hour == 9);
  CHECK_FALSE(config->report.messenger);
  CHECK(parse_config(github + "app = { id = 5, installation = 7 }\n", "x.toml").value().report.messenger);
  const auto error = [&](const std::string& text) { return parse_config(github + text, "x.toml").error().message; };
  CHECK(error("proxy = \"p:1\"\n").find("http://HOST:PORT") != std::string::npos);
  CHECK(error("app = { installation = 7 }\n").find("client id") != std::string::npos);
  CHECK(error("app = { id = \"x\" }\n").find("installation") != std::string::npos);
  CHECK(error("token_file = \"t\"\napp = { id = \"x\", installation = 7 }\n").find("choose one") != std::string::npos);
}

TEST_CASE("Configuration: the page has no further names by itself", "[config]") {
  CHECK(parse_config("", "x.toml").value().service.page_names.empty());
  const auto named = parse_config("[service]\npage_names = [\"ci.example.org\"]\n", "x.toml").value();
  CHECK(named.service.page_names == std::vector<std::string>{"ci.example.org"});
}

TEST_CASE("Configuration: a report without a culprit is delivered unless it shall not be", "[config]") {
  CHECK(parse_config("", "x.toml").value().report.without_culprit);
  CHECK_FALSE(parse_config("[report]\nwithout_culprit = false\n", "x.toml").value().report.without_culprit);
}

TEST_CASE("Configuration: whom a report brings in, nobody by default", "[config]") {
  const std::string github = "[report]\nchannels = [\"github\"]\n[report.github]\nrepository = \"o/n\"\n";
  const GithubConfig none = parse_config(github, "x.toml").value().report.github;
  CHECK(none.assignees.empty());
  CHECK(none.domain_labels.empty());
  CHECK_FALSE((none.assign_author || none.mention_author || none.comment_on_pull_request));
  const auto config = parse_config(github +
                                       "assignees = [\"octo-cat\"]\nassign_author = true\nmention_author = true\n"
                                       "comment_on_pull_request = true\n[report.github.domain_labels]\n"
                                       "nlp = [\"module: nlp\", \"slow\"]\n\"computer vision\" = [\"vision\"]\n",
                                   "x.toml");
  REQUIRE(config);
  const GithubConfig& read = config->report.github;
  CHECK(read.assignees == std::vector<std::string>{"octo-cat"});
  CHECK((read.assign_author && read.mention_author && read.comment_on_pull_request));
  CHECK(read.domain_labels.at("nlp") == std::vector<std::string>{"module: nlp", "slow"});
  CHECK(read.domain_labels.at("computer vision") == std::vector<std::string>{"vision"});
  const auto error = [&](const std::string& text) {
    const auto wrong = parse_config(github + text, "x.toml");
    return wrong ? std::string() : wrong.error().message;
  };
  CHECK(error("assignees = [\"@octo\"]\n").find("without @") != std::string::npos);
  CHECK(error("assignees = [\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]\n").find("at most 10") !=
        std::string::npos);
  CHECK(error("domain_labels = { nlp = [] }\n").find("without commas") != std::string::npos);
  CHECK(error("domain_labels = { nlp = [\"\"] }\n").find("without commas") != std::string::npos);
  CHECK(error("domain_labels = { nlp = [\"a,b\"] }\n").find("without commas") != std::string::npos);
  CHECK(error("domain_labels = { nlp = \"a\" }\n").find("domain_labels") != std::string::npos);
  CHECK(error("domain_labels = \"a\"\n").find("must be a table of lists") != std::string::npos);
}

}  // namespace tbci::messenger_setting_test
