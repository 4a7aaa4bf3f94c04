// A report as a message of RFC 5322. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// Plain addresses, without names: `perf@example.org`.
struct MailAddresses {
  std::string from;
  std::vector<std::string> to;
};

/// `<tbci.MARKER.REVISION@example.org>`, with the domain of the sender: the same at each try of a revision, so that
/// mail programs know a message that came twice.
std::string message_id(const model::Report& report, std::string_view from);

/// Headers and body, with newlines alone at the ends of lines, as sendmail reads it. A later revision answers the first
/// one, so that mail programs show them together. Nothing of a report becomes a header but its title, which is encoded
/// where it is more than plain words. The body is its Markdown, in quoted-printable.
std::string mail_message(const model::Report& report, const MailAddresses& addresses, TimePoint sent);

/// A header's text by RFC 2047: as it is where it is short, printable and plain, else in encoded words of at most 75
/// characters, on lines of their own. What breaks lines becomes a space first.
std::string encoded_header(std::string_view text);

/// RFC 2045: lines of at most 76 characters. A line that begins with a dot or with `From ` is encoded there.
std::string quoted_printable(std::string_view text);

/// `Wed, 07 Jan 2026 05:31:02 +0000`
std::string mail_date(TimePoint time);

}  // namespace tbci::github
