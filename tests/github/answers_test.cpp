#include "github/answers.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::answers_test {

using namespace tbci::github;
using std::chrono::seconds;

namespace {

const TimePoint now = test::at(seconds(1'800'000'000));

Attempt failure(int status, std::map<std::string, std::string> headers = {}, std::string body = "{}") {
  return attempt_of_failure({status, std::move(headers), std::move(body)}, "filing", now, Secrets());
}

HttpResponse with_link(const std::string& link) {
  return {200, {{"link", link}}, "[]"};
}

}  // namespace

TEST_CASE("Answers: a rate limit says when to retry", "[github]") {
  CHECK(failure(429, {{"retry-after", "90"}}).not_before == now + seconds(90));
  CHECK(failure(403, {{"retry-after", "5"}}).not_before == now + seconds(5));
  CHECK(failure(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1800000600"}}).not_before ==
        now + seconds(600));
  CHECK(failure(403, {}, R"({"message": "You have exceeded a secondary rate limit"})").not_before == now + seconds(60));
  CHECK(failure(429).not_before == now + seconds(60));
  for (const int status : {403, 429}) {
    const Attempt attempt = failure(status, {{"retry-after", "90"}});
    CHECK(attempt.outcome == Attempt::Outcome::retry);
    CHECK(attempt.error.kind == ErrorKind::transient);
  }
}

TEST_CASE("Answers: an implausible wait does not stop the outbox forever", "[github]") {
  CHECK(failure(429, {{"retry-after", "99999999999"}}).not_before == now + seconds(86'400));
  CHECK(failure(429, {{"retry-after", "-7"}}).not_before == now + seconds(1));
  CHECK(failure(429, {{"retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"}}).not_before == now + seconds(60));
  CHECK(failure(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1"}}).not_before == now + seconds(1));
  CHECK(failure(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9223372036854775807"}}).not_before ==
        now + seconds(86'400));
}

TEST_CASE("Answers: a fault that a person must put right waits for hours, with advice", "[github]") {
  for (const auto& [status, advice] : std::vector<std::pair<int, std::string>>{
           {401, "token"}, {403, "permission"}, {404, "repository"}, {410, "disabled"}, {400, "base URL"}}) {
    const Attempt attempt = failure(status, {{"x-ratelimit-remaining", "4999"}});
    CAPTURE(status, attempt.error.message);
    CHECK(attempt.outcome == Attempt::Outcome::retry);
    CHECK(attempt.not_before == now + std::chrono::hours(6));
    CHECK(attempt.error.kind == ErrorKind::failed);
    CHECK(attempt.error.message.find(advice) != std::string::npos);
    CHECK(attempt.error.message.find(std::to_string(status)) != std::string::npos);
  }
  CHECK_FALSE(failure(200).not_before);
}

TEST_CASE("Answers: what is wrong with one issue alone does not keep the others waiting", "[github]") {
  const auto of_one = [](int status) {
    return attempt_of_failure({status, {}, "{}"}, "adding", now, Secrets(), About::one_issue);
  };
  for (const int status : {403, 404, 410}) {
    CHECK(of_one(status).outcome == Attempt::Outcome::retry);
    CHECK_FALSE(of_one(status).not_before);
  }
  CHECK(of_one(401).not_before == now + std::chrono::hours(6));
  CHECK(of_one(429).not_before == now + seconds(60));
}

TEST_CASE("Answers: only what GitHub calls invalid is refused", "[github]") {
  const Attempt attempt = failure(422);
  CHECK(attempt.outcome == Attempt::Outcome::refused);
  CHECK(attempt.error.message.find("text") != std::string::npos);
  CHECK(never_refused(attempt, now).outcome == Attempt::Outcome::retry);
  CHECK(never_refused(attempt, now).not_before == now + std::chrono::hours(6));
  for (int status = 100; status < 600; ++status) {
    if (status != 422) CHECK(failure(status).outcome == Attempt::Outcome::retry);
  }
}

TEST_CASE("Answers: an old server's detection of abuse is a wait", "[github]") {
  CHECK(failure(403, {}, R"({"message": "You have triggered an Abuse Detection mechanism"})").not_before ==
        now + seconds(60));
  CHECK(failure(403, {}, R"({"documentation_url": "https://docs.github.com/#secondary-rate-limits"})").not_before ==
        now + seconds(60));
}

TEST_CASE("Answers: the last request before a limit ends the asking until it is over", "[github]") {
  CHECK(end_of_limit({200, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1800000600"}}, "[]"}, now) ==
        now + seconds(600));
  CHECK_FALSE(end_of_limit({200, {{"x-ratelimit-remaining", "1"}, {"x-ratelimit-reset", "1800000600"}}, "[]"}, now));
  CHECK_FALSE(end_of_limit({200, {{"x-ratelimit-remaining", "0"}}, "[]"}, now));
  CHECK(end_of_limit({429, {}, ""}, now) == now + seconds(60));
}

TEST_CASE("Answers: JSON that is deeper than any answer of GitHub's costs no memory", "[github]") {
  const std::string deep(1'000'000, '[');
  CHECK(failure(422, {}, deep).outcome == Attempt::Outcome::refused);
  const std::string closed = deep + std::string(1'000'000, ']');
  CHECK(failure(422, {}, closed).outcome == Attempt::Outcome::refused);
  const nlohmann::json kept = json_in({200, {}, closed});
  int depth = 0;
  for (const nlohmann::json* at = &kept; at->is_array() && !at->empty(); at = &at->front()) ++depth;
  CHECK(depth < 50);
}

TEST_CASE("Answers: a server error is retried later", "[github]") {
  for (const int status : {500, 502, 503, 504, 408}) {
    CHECK(failure(status).outcome == Attempt::Outcome::retry);
    CHECK(failure(status, {}, "<html>oops").error.kind == ErrorKind::transient);
  }
}

TEST_CASE("Answers: shows the server's message as one harmless line", "[github]") {
  const std::string body =
      R"({"message": "Validation\nFailed\u202e", "errors": [{"field": "title", "code": "missing_field"},
                              {"message": "body is too long"}, 7, "odd"]})";
  const std::string message = failure(422, {}, body).error.message;
  CHECK(message.find("'Validation Failed (title missing_field) (body is too long) (odd)'") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(failure(422, {}, R"({"message": ")" + std::string(100'000, 'x') + R"("})").error.message.size() < 600);
  CHECK(failure(422, {}, "[1]").outcome == Attempt::Outcome::refused);
  CHECK(failure(422, {}, R"({"message": {"a": 1}, "errors": "x"})").outcome == Attempt::Outcome::refused);
}

TEST_CASE("Answers: reads the next page from the Link header", "[github]") {
  CHECK(next_page(with_link("<https://h/a?page=2>; rel=\"next\", <https://h/a?page=9>; rel=\"last\"")) ==
        "https://h/a?page=2");
  CHECK(next_page(with_link("<https://h/1>; rel=\"prev\", <https://h/3>; rel=\"next\"")) == "https://h/3");
  CHECK_FALSE(next_page(with_link("<https://h/1>; rel=\"prev\"")));
  CHECK_FALSE(next_page(with_link("<https://h/1; rel=\"next\"")));
  CHECK_FALSE(next_page(with_link("")));
  CHECK_FALSE(next_page({200, {}, ""}));
}

}  // namespace tbci::answers_test
