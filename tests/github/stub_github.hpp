// What GitHub's REST API keeps and answers, without the network: as strict about its input as GitHub. Not thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace tbci::test {

/// A request as it came.
struct Seen {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct StubAnswer {
  int status = 200;
  std::string body = {};
  std::map<std::string, std::string> headers = {};
};

struct StubGithub {
  using json = nlohmann::json;

  std::set<std::string> tokens;
  std::string login = "octocat";  ///< who files issues; empty: GET /user is refused
  std::string server;             ///< `http://127.0.0.1:1234`
  std::string link_origin;        ///< of `Link` headers; empty: the server
  std::string home = "/repos/octo/demo";
  std::string former_home;  ///< sends on to `home`; with `moved_to` to another server
  std::string moved_to;
  TimePoint now{std::chrono::seconds(1'800'000'000)};
  std::size_t page_size = 100;  ///< whatever is asked for: several pages without hundreds of issues
  bool drops_labels = false;    ///< as without push access
  bool has_etags = false;
  int hidden = 0;                                  ///< the next list does not have the issues up to this one yet
  std::function<bool(const std::string&)> is_app;  ///< whether a JWT is the App's; empty: there is no App
  std::chrono::minutes token_life{60};
  int bought = 0;                                  ///< tokens of the installation
  std::vector<json> issues;                        ///< newest first, as GitHub lists them
  std::map<int, json> comments;                    ///< by the issue's number, the oldest first
  std::map<std::string, std::string> permissions;  ///< by login
  std::map<int, json> events;                      ///< by the number of the issue or pull request, the oldest first
  std::map<std::string, json> pulls;               ///< pull requests of a commit
  std::set<std::string> assignable;                ///< logins; others are dropped without a word
  std::set<int> locked;                            ///< nobody may comment there
  std::string second_home;                         ///< another repository, which has the same issues
  std::map<int, std::pair<std::string, int>> transferred;  ///< issue -> its repository and number there
  bool archived = false;                                   ///< nothing can be written
  StubGithub* elsewhere = nullptr;                         ///< what is in the other repository
  int last_number = 0;
  int last_comment = 0;

  StubAnswer handle(const Seen& seen) {
    const std::string path = seen.target.substr(0, seen.target.find('?'));
    const std::string token =
        seen.header("authorization").substr(0, 7) == "Bearer " ? seen.header("authorization").substr(7) : "";
    if (seen.header("accept") != "application/vnd.github+json" || seen.header("x-github-api-version") != "2022-11-28" ||
        seen.header("user-agent").empty()) {
      return {400, R"({"message": "headers"})"};
    }
    if (elsewhere != nullptr && path.starts_with(elsewhere->home + "/")) return elsewhere->handle(seen);
    if (path.starts_with("/app")) return app(seen, path, token);
    if (!tokens.contains(token)) return {401, R"({"message": "Bad credentials"})"};
    if (path == "/user") return user();
    if (!former_home.empty() && path.starts_with(former_home + "/")) {
      const std::string rest = seen.target.substr(former_home.size());
      return {301,
              R"({"message": "Moved Permanently"})",
              {{"Location", (moved_to.empty() ? server : moved_to) + home + rest}}};
    }
    if (path.starts_with(home + "/collaborators/") && path.ends_with("/permission")) {
      const std::string rest = path.substr(home.size() + 15);
      const auto known = permissions.find(rest.substr(0, rest.find('/')));
      return known == permissions.end() ? not_found() : StubAnswer{200, json{{"permission", known->second}}.dump()};
    }
    if (!second_home.empty() && path.starts_with(second_home + "/")) {
      Seen same = seen;
      same.target = home + seen.target.substr(second_home.size());
      return handle(same);
    }
    if (path.starts_with(home + "/commits/") && path.ends_with("/pulls")) {
      const std::string commit = path.substr(home.size() + 9, path.size() - home.size() - 15);
      return {200, pulls.contains(commit) ? pulls[commit].dump() : "[]"};
    }
    if (!path.starts_with(home + "/issues")) return not_found();
    StubAnswer answer = of_issues(seen, path.substr(home.size() + 7));
    return has_etags && seen.method == "GET" ? tagged(seen, std::move(answer)) : answer;
  }

  json make_issue(const json& from) {
    const int number = ++last_number;
    json labels = json::array();
    if (!drops_labels) {
      for (const auto& label : from.value("labels", json::array())) labels.push_back({{"name", label}});
    }
    return {{"number", number},
            {"html_url", "https://github.com/octo/demo/issues/" + std::to_string(number)},
            {"title", from.at("title")},
            {"body", from.value("body", "")},
            {"state", "open"},
            {"user", {{"login", login.empty() ? "octocat" : login}}},
            {"created_at", to_iso8601(now)},
            {"updated_at", to_iso8601(now)},
            {"labels", labels}};
  }

 private:
  static StubAnswer not_found() { return {404, R"({"message": "Not Found"})"}; }
  static StubAnswer invalid(const std::string& field, const std::string& code) {
    return {422, json{{"message", "Validation Failed"},
                      {"errors", {{{"resource", "Issue"}, {"field", field}, {"code", code}}}}}
                     .dump()};
  }

  StubAnswer user() const {
    if (login.empty()) return {403, R"({"message": "Resource not accessible by integration"})"};
    return {200, json{{"login", login}}.dump()};
  }

  StubAnswer app(const Seen& seen, const std::string& path, const std::string& token) {
    if (!is_app || !is_app(token)) return {401, R"({"message": "A JSON web token could not be decoded"})"};
    if (path == "/app" && seen.method == "GET") return {200, R"({"slug": "tbci-app"})"};
    if (path != "/app/installations/7/access_tokens" || seen.method != "POST") return not_found();
    const std::string made = "ghs_installation" + std::to_string(++bought);
    tokens = {made};
    return {201, json{{"token", made}, {"expires_at", to_iso8601(now + token_life)}}.dump()};
  }

  StubAnswer tagged(const Seen& seen, StubAnswer answer) const {
    const std::string tag = "\"" + sha256_hex(answer.body + answer.headers["Link"]).substr(0, 16) + "\"";
    if (seen.header("if-none-match") == tag) return {304, "", {{"ETag", tag}}};
    answer.headers["ETag"] = tag;
    return answer;
  }

  StubAnswer of_issues(const Seen& seen, const std::string& rest) {
    if (archived && seen.method != "GET") return {403, R"({"message": "Repository was archived so is read-only."})"};
    if (rest.empty() && seen.method == "GET") return list(seen.target);
    if (rest.empty() && seen.method == "POST") return create(seen.body);
    if (rest.starts_with("/comments/") && seen.method == "PATCH") return change_comment(seen, rest.substr(10));
    const std::string number = rest.substr(1, rest.find('/', 1) - 1);
    const auto issue = std::find_if(issues.begin(), issues.end(), [&](const json& one) {
      return std::to_string(one.at("number").get<int>()) == number;
    });
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) {
      if (const auto moved = transferred.find(std::stoi(number)); moved != transferred.end()) {
        const auto& [repository, new_number] = moved->second;
        return {301,
                R"({"message": "Moved Permanently"})",
                {{"Location",
                  server + repository + "/issues/" + std::to_string(new_number) + rest.substr(1 + number.size())}}};
      }
    }
    if (issue == issues.end()) return not_found();
    if (rest.ends_with("/comments")) return of_comments(seen, issue->at("number"));
    if (rest.ends_with("/events")) {
      const int known = issue->at("number");
      return {200, events.contains(known) ? events[known].dump() : "[]"};
    }
    if (rest.ends_with("/labels") && seen.method == "POST") return add_labels(*issue, seen.body);
    if (rest.ends_with("/assignees") && seen.method == "POST") return assign(*issue, seen.body);
    if (rest == "/" + number && seen.method == "GET") return {200, issue->dump()};
    if (rest == "/" + number && seen.method == "PATCH") return change(*issue, json::parse(seen.body, nullptr, false));
    return not_found();
  }

  static std::string decoded(const std::string& text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '%' && at + 2 < text.size()) {
        plain += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
        at += 2;
      } else {
        plain += text[at];
      }
    }
    return plain;
  }

  static std::map<std::string, std::string> question_in(const std::string& target) {
    std::map<std::string, std::string> fields;
    const std::size_t mark = target.find('?');
    if (mark == std::string::npos) return fields;
    for (const std::string& field : split(target.substr(mark + 1), '&')) {
      const std::size_t equals = field.find('=');
      if (equals != std::string::npos) fields[field.substr(0, equals)] = decoded(field.substr(equals + 1));
    }
    return fields;
  }

  static bool fits(const json& issue, const std::map<std::string, std::string>& asked) {
    if (asked.contains("creator") && issue.at("user").at("login") != asked.at("creator")) return false;
    if (asked.contains("since") && issue.at("updated_at") < json(asked.at("since"))) return false;
    if (!asked.contains("labels")) return true;
    const auto wanted = split(asked.at("labels"), ',');
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      return std::any_of(issue.at("labels").begin(), issue.at("labels").end(),
                         [&](const json& label) { return label.at("name") == name; });
    });
  }

  StubAnswer list(const std::string& target) {
    auto asked = question_in(target);
    if (asked["state"] != "all" || asked["sort"] != "created" || asked["direction"] != "desc") {
      return {400, R"({"message": "query"})"};
    }
    std::vector<json> all;
    std::copy_if(issues.begin(), issues.end(), std::back_inserter(all),
                 [&](const json& one) { return fits(one, asked) && one.at("number") > hidden; });
    hidden = 0;
    const std::size_t page = asked.contains("page") ? std::stoul(asked["page"]) : 1;
    json found = json::array();
    for (std::size_t i = (page - 1) * page_size; i < std::min(all.size(), page * page_size); ++i)
      found.push_back(all[i]);
    StubAnswer answer{200, found.dump()};
    if (page * page_size < all.size()) {
      const std::string plain = target.substr(0, target.find("&page="));
      const std::string base = (link_origin.empty() ? server : link_origin) + plain + "&page=";
      answer.headers["Link"] = "<" + base + std::to_string((all.size() + page_size - 1) / page_size) +
                               ">; rel=\"last\", <" + base + std::to_string(page + 1) + ">; rel=\"next\"";
    }
    return answer;
  }

  StubAnswer of_comments(const Seen& seen, int number) {
    json& all = comments[number];
    if (all.is_null()) all = json::array();
    if (seen.method == "GET") return {200, all.dump()};
    if (locked.contains(number)) return {403, R"({"message": "Unable to create comment because issue is locked."})"};
    const json comment = json::parse(seen.body, nullptr, false);
    if (!is_comment(comment)) return {422, R"({"message": "Validation Failed"})"};
    all.push_back({{"id", ++last_comment},
                   {"body", comment["body"]},
                   {"user", {{"login", login.empty() ? "octocat" : login}}},
                   {"created_at", to_iso8601(now)}});
    return {201, all.back().dump()};
  }

  static bool is_comment(const json& comment) {
    return comment.is_object() && comment.contains("body") && comment["body"].is_string() &&
           !comment["body"].get<std::string>().empty() && comment["body"].get<std::string>().size() <= 65'536;
  }

  StubAnswer change_comment(const Seen& seen, const std::string& id) {
    const json wanted = json::parse(seen.body, nullptr, false);
    if (!is_comment(wanted)) return {422, R"({"message": "Validation Failed"})"};
    for (auto& [number, all] : comments) {
      for (json& comment : all) {
        if (std::to_string(comment.at("id").get<int>()) != id) continue;
        comment["body"] = wanted["body"];
        return {200, comment.dump()};
      }
    }
    return not_found();
  }

  StubAnswer add_labels(json& issue, const std::string& body) const {
    const json wanted = json::parse(body, nullptr, false);
    if (!wanted.is_object() || !wanted.contains("labels")) return invalid("labels", "missing_field");
    if (drops_labels) return {403, R"({"message": "Must have admin rights to Repository."})"};
    for (const json& label : wanted["labels"]) issue["labels"].push_back({{"name", label}});
    return {200, issue["labels"].dump()};
  }

  StubAnswer assign(json& issue, const std::string& body) const {
    const json wanted = json::parse(body, nullptr, false);
    if (!wanted.is_object() || !wanted.contains("assignees")) return invalid("assignees", "missing_field");
    for (const json& one : wanted["assignees"]) {
      json& all = issue["assignees"];
      const json entry = {{"login", one}};
      if (assignable.contains(one) && std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
    }
    return {201, issue.dump()};
  }

  // GitHub's own rules for a new issue.
  StubAnswer create(const std::string& body) {
    const json issue = json::parse(body, nullptr, false);
    if (!issue.is_object()) return {400, R"({"message": "Problems parsing JSON"})"};
    if (!issue.contains("title") || !issue["title"].is_string() || issue["title"].get<std::string>().empty()) {
      return invalid("title", "missing_field");
    }
    if (issue["title"].get<std::string>().size() > 256) return invalid("title", "too_long");
    if (issue.contains("body") && !issue["body"].is_string()) return invalid("body", "invalid");
    if (issue.value("body", "").size() > 65'536) return invalid("body", "too_long");
    for (const json& label : issue.value("labels", json::array())) {
      if (!label.is_string()) return invalid("labels", "invalid");
    }
    issues.insert(issues.begin(), make_issue(issue));
    return {201, issues.front().dump()};
  }

  StubAnswer change(json& issue, const json& wanted) {
    if (!wanted.is_object()) return {400, R"({"message": "Problems parsing JSON"})"};
    if (wanted.value("body", "").size() > 65'536) return invalid("body", "too_long");
    if (wanted.value("title", "x").empty() || wanted.value("title", "x").size() > 256)
      return invalid("title", "invalid");
    issue.update(wanted);
    issue["updated_at"] = to_iso8601(now);
    return {200, issue.dump()};
  }
};

}  // namespace tbci::test
