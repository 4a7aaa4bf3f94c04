// HTML that is safe against injection: markup comes only from string literals of the program, and all other text is
// escaped by one function.
#pragma once

#include <string>
#include <string_view>

namespace tbci::web {

/// `text` for HTML: as the content of an element or of an attribute in quotes. Bytes that are not UTF-8, and control
/// characters other than newline and tab, become U+FFFD; so do the marks that turn the direction of what follows.
std::string escaped(std::string_view text);

/// Markup written as a literal in the source.
class Markup {
 public:
  consteval Markup(const char* literal) : literal_(literal) {}  // NOLINT(google-explicit-constructor)
  constexpr std::string_view view() const { return literal_; }

 private:
  std::string_view literal_;
};

/// Text to be escaped.
struct Text {
  std::string_view text;
};

class Html {
 public:
  Html& operator<<(Markup markup) {
    html_ += markup.view();
    return *this;
  }
  Html& operator<<(Text text) {
    html_ += escaped(text.text);
    return *this;
  }
  Html& operator<<(const Html& part) {
    html_ += part.html_;
    return *this;
  }
  bool empty() const { return html_.empty(); }
  const std::string& string() const { return html_; }

 private:
  std::string html_;
};

}  // namespace tbci::web
