#include "github/mail_message.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::mail_message_test {

using namespace tbci::github;

namespace {

const MailAddresses addresses{.from = "tbci@example.org", .to = {"perf@example.org", "on-call@example.net"}};
constexpr TimePoint sent{std::chrono::milliseconds(1'767'763'862'000)};  // 2026-01-07T05:31:02Z

model::Report small_report() {
  return {.id = 3,
          .subject = "demo",
          .marker = std::string(32, 'a'),
          .title = "dlrm is 12% slower",
          .body = "One line.\n",
          .labels = {"tbci"},
          .created = sent,
          .revision = 1};
}

// The headers of the message, unfolded.
std::vector<std::string> headers_of(const std::string& message) {
  std::vector<std::string> headers;
  for (const std::string& line : split(message.substr(0, message.find("\n\n")), '\n')) {
    if (line.starts_with(' ')) headers.back() += line;
    if (!line.starts_with(' ')) headers.push_back(line);
  }
  return headers;
}

// The inverse of quoted_printable, by the rules of RFC 2045 alone.
std::string decoded(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '=') {
      plain += text[at];
    } else if (text.at(at + 1) == '\n') {
      at += 1;
    } else {
      plain += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
      at += 2;
    }
  }
  return plain;
}

}  // namespace

TEST_CASE("Mail: a report with hostile texts matches its golden file", "[github]") {
  model::Report report = small_report();
  report.title = "dlrm über \"alles\" <b> ist 12% langsamer, und dies ist ein recht langer Titel für eine Zeile";
  report.revision = 2;
  report.body = "First = second, naïve\n.\nFrom here\n\ttab and space \n" + std::string(80, 'x') + "\nlast";
  const std::filesystem::path path = std::filesystem::path(TBCI_SOURCE_DIR) / "tests/github/golden/mail.eml";
  const std::string message = mail_message(report, addresses, sent);
  if (std::getenv("TBCI_UPDATE_GOLDEN") != nullptr) REQUIRE(write_file_atomically(path, message));
  CHECK(message == read_file(path).value_or(""));
}

TEST_CASE("Mail: a title cannot add a header, a recipient or a body", "[github]") {
  for (const std::string title :
       {"slower\nBcc: thief@example.com", "slower\r\n\r\nbody", "slower\rX: y", "a\xe2\x80\xa8 Bcc: b@c",
        "=?UTF-8?Q?x?=", "\xff\xfe broken", "slower \"b@c\" <b@c>, b@c"}) {
    model::Report report = small_report();
    report.title = title;
    INFO(title);
    const auto headers = headers_of(mail_message(report, addresses, sent));
    CHECK(headers.size() == 9);
    CHECK(headers.at(0) == "From: tbci@example.org");
    CHECK(headers.at(1) == "To: perf@example.org, on-call@example.net");
    CHECK(headers.at(2).starts_with("Subject: "));
    for (const std::string& header : headers) CHECK_FALSE(header.starts_with("Bcc"));
    for (const char c : mail_message(report, addresses, sent)) CHECK((c == '\n' || (c >= ' ' && c <= '~')));
  }
  model::Report report = small_report();
  report.marker = "a>\nBcc: b@c";
  CHECK(headers_of(mail_message(report, addresses, sent)).size() == 9);
}

TEST_CASE("Mail: each try of a revision has the same id, and later ones answer the first", "[github]") {
  model::Report report = small_report();
  const std::string first = message_id(report, addresses.from);
  CHECK(first == "<tbci." + report.marker + ".1@example.org>");
  CHECK_FALSE(contains(mail_message(report, addresses, sent), "References"));
  report.revision = 3;
  const std::string message = mail_message(report, addresses, sent + std::chrono::hours(5));
  CHECK(contains(message, "\nMessage-ID: <tbci." + report.marker + ".3@example.org>\n"));
  CHECK(contains(message, "\nIn-Reply-To: " + first + "\nReferences: " + first + "\n"));
}

TEST_CASE("Mail: a header is plain where it can be, and encoded words are short", "[github]") {
  CHECK(encoded_header("dlrm is 12% slower") == "dlrm is 12% slower");
  CHECK(encoded_header("schön") == "=?UTF-8?Q?sch=C3=B6n?=");
  CHECK(encoded_header("a=?b") == "=?UTF-8?Q?a=3D=3Fb?=");
  const std::string header = encoded_header(std::string(40, 'x') + " " + std::string(60, '='));
  for (const std::string& word : split(header, '\n')) {
    CHECK(word.size() <= 76);
    CHECK(word.ends_with("?="));
  }
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "ö";
  for (const std::string& word : split(encoded_header(umlauts), '\n'))
    CHECK((word.size() - (word.starts_with(' ') ? 1 : 0) - 12) % 6 == 0);  // no character is cut in two
}

TEST_CASE("Mail: the body comes back as it was, in rows that every server passes on", "[github]") {
  std::string text =
      "plain = text\n\n.\n..\nFrom me\n trailing \t\nÜmlaut \xf0\x9f\x94\xa5\n" + std::string(300, '=') + "\n";
  for (int i = 70; i < 80; ++i) text += std::string(static_cast<std::size_t>(i), 'y') + ". From x\n";
  const std::string encoded = quoted_printable(text);
  CHECK(decoded(encoded) == text);
  for (const std::string& row : split(encoded, '\n')) {
    INFO(row);
    CHECK(row.size() <= 76);
    CHECK_FALSE(row.starts_with('.'));
    CHECK_FALSE(row.starts_with("From "));
    CHECK_FALSE(row.ends_with(' '));
  }
  CHECK(decoded(quoted_printable("no end")) == "no end\n");
}

TEST_CASE("Mail: dates are those of RFC 5322", "[github]") {
  CHECK(mail_date(sent) == "Wed, 07 Jan 2026 05:31:02 +0000");
  CHECK(mail_date(TimePoint(std::chrono::milliseconds(951'868'799'999))) == "Tue, 29 Feb 2000 23:59:59 +0000");
}

}  // namespace tbci::mail_message_test
