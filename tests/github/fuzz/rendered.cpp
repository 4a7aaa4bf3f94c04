#include "tests/github/fuzz/rendered.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"

namespace tbci::fuzz {

namespace {

constexpr std::string_view zero_width_space = "\xE2\x80\x8B";
// GitHub reads mathematics in the source, where an entity is none. These stand for one while cmark-gfm works.
constexpr std::string_view dollar = "&#36;", stand_in = "\xEE\x80\x80";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};

std::string html_of(const std::string& markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  constexpr int options = CMARK_OPT_UNSAFE | CMARK_OPT_FOOTNOTES | CMARK_OPT_HARDBREAKS | CMARK_OPT_VALIDATE_UTF8;
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(options));
  for (const char* name : {"table", "strikethrough", "autolink", "tasklist"}) {
    cmark_syntax_extension* extension = cmark_find_syntax_extension(name);
    if (extension == nullptr) {
      std::fprintf(stderr, "cmark-gfm has no extension %s\n", name);
      std::exit(2);
    }
    cmark_parser_attach_syntax_extension(parser.get(), extension);
  }
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, FreeNode> document(cmark_parser_finish(parser.get()));
  char* html = cmark_render_html(document.get(), options, cmark_parser_get_syntax_extensions(parser.get()));
  std::string text(html);
  cmark_get_default_mem_allocator()->free(html);
  return text;
}

// The renderer writes these four and no other.
std::string decoded(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto replace = [&](std::string_view entity, char c) {
      if (!text.starts_with(entity)) return false;
      plain += c;
      text.remove_prefix(entity.size());
      return true;
    };
    if (replace("&lt;", '<') || replace("&gt;", '>') || replace("&amp;", '&') || replace("&quot;", '"')) continue;
    plain += text[0];
    text.remove_prefix(1);
  }
  return plain;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_of_emoji(char c) {
  return is_alphanumeric(c) || c == '_' || c == '+' || c == '-';
}

std::size_t length_of(std::string_view text, bool (*belongs)(char)) {
  std::size_t length = 0;
  while (length < text.size() && belongs(text[length])) ++length;
  return length;
}

bool begins_with(std::string_view text, std::string_view capitals) {
  if (text.size() < capitals.size()) return false;
  for (std::size_t i = 0; i < capitals.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c) != capitals[i]) return false;
  }
  return true;
}

// What begins at `rest`, with the character before it (a space at the beginning).
std::string reference_at(char before, std::string_view rest) {
  const auto next = [&](std::size_t at) { return at < rest.size() ? rest[at] : ' '; };
  const bool begins = !is_alphanumeric(before);
  if (rest[0] == '@' && is_alphanumeric(next(1))) return "mention";
  if (rest[0] == '#' && is_digit(next(1))) return "issue";
  if (rest[0] == '$') return "mathematics";
  if (rest.starts_with("://")) return "address";
  if (rest[0] == ':') {
    const std::size_t name = length_of(rest.substr(1), is_of_emoji);
    return name > 0 && next(1 + name) == ':' ? "emoji" : "";
  }
  if (!begins) return "";
  if (begins_with(rest, "WWW.") && is_alphanumeric(next(4))) return "address";
  if (begins_with(rest, "GH-") && is_digit(next(3))) return "issue";
  if ((begins_with(rest, "CVE-") && is_digit(next(4))) || (begins_with(rest, "GHSA-") && is_alphanumeric(next(5))))
    return "advisory";
  const std::size_t word = length_of(rest, is_alphanumeric);
  return word >= 7 && word <= 40 && length_of(rest, is_hex) == word ? "commit" : "";
}

}  // namespace

std::vector<Part> rendered(const std::string& markdown) {
  const std::string html = html_of(replaced(markdown, dollar, stand_in));
  std::vector<Part> parts;
  int code = 0;
  for (std::size_t at = 0; at < html.size();) {
    const bool tag = html[at] == '<';
    const bool comment = html.compare(at, 4, "<!--") == 0;
    std::size_t end = comment ? html.find("-->", at) : html.find(tag ? '>' : '<', at);
    if (end != std::string::npos && tag) end += comment ? 3 : 1;
    const std::string text = html.substr(at, end == std::string::npos ? end : end - at);
    if (text.starts_with("<code") || text.starts_with("<pre")) ++code;
    if (text.starts_with("</code") || text.starts_with("</pre")) --code;
    const std::string seen = tag ? text : decoded(text);
    parts.push_back({tag, !tag && code > 0, code > 0 ? replaced(seen, stand_in, dollar) : seen});
    at += text.size();
  }
  return parts;
}

std::string outline(const std::vector<Part>& parts) {
  std::string lines;
  for (const Part& part : parts) {
    if (part.tag) lines += part.text + "\n";
  }
  return lines;
}

std::string as_seen(std::string_view text) {
  return replaced(replaced(std::string(text), zero_width_space, ""), stand_in, "$");
}

std::vector<std::string> references(const std::vector<Part>& parts) {
  std::vector<std::string> found;
  for (const Part& part : parts) {
    if (part.tag || part.code) continue;
    const std::string_view text = part.text;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::string kind = reference_at(at == 0 ? ' ' : text[at - 1], text.substr(at));
      if (!kind.empty()) found.push_back(kind + " " + one_line(text.substr(at, 60), 60));
    }
  }
  return found;
}

}  // namespace tbci::fuzz
