#include "runner/nightly/index_page.hpp"

#include <libxml/HTMLparser.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/json_fields.hpp"

namespace tbci::runner {

namespace {

constexpr std::size_t longest_file_name = 300;

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    const bool escape =
        text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    decoded += escape ? static_cast<char>(value) : text[at];
    if (escape) at += 2;
  }
  return decoded;
}

int number_at(std::string_view text, std::size_t at) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 2, value);
  return error == std::errc() && end == text.data() + at + 2 ? value : -1;
}

// `2026-11-20T04:12:33.123456Z`, in UTC as PEP 700 wants it.
std::optional<TimePoint> upload_time(std::string_view text) {
  constexpr std::size_t whole_seconds = 19;
  if (text.size() <= whole_seconds || text[10] != 'T' || text[13] != ':' || text[16] != ':') return std::nullopt;
  if (!text.ends_with('Z') && !text.ends_with("+00:00")) return std::nullopt;
  const auto day = date_from(text.substr(0, 10));
  const int hour = number_at(text, 11), minute = number_at(text, 14), second = number_at(text, 17);
  if (!day || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  return *day + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

Result<std::vector<IndexFile>> parse_json(const std::string& text) {
  const auto page = nlohmann::json::parse(text, nullptr, false);
  const auto listed = page.is_object() ? page.find("files") : page.end();
  if (!page.is_object() || listed == page.end() || !listed->is_array())
    return fail(ErrorKind::transient, "the index answered with JSON that lists no files");
  std::vector<IndexFile> files;
  for (const auto& entry : *listed) {
    if (!entry.is_object()) continue;
    IndexFile file{.name = file_of_address(text_field(entry, "filename", longest_file_name))};
    if (file.name.empty()) continue;
    if (const auto bytes = integer_field(entry, "size", 1, LLONG_MAX)) file.bytes = static_cast<std::uint64_t>(*bytes);
    file.uploaded = upload_time(text_field(entry, "upload-time", 40));
    const auto yanked = entry.find("yanked");
    if (yanked != entry.end() && yanked->is_string()) file.yanked = text_field(entry, "yanked");
    if (yanked != entry.end() && yanked->is_boolean() && yanked->get<bool>()) file.yanked = "";
    files.push_back(std::move(file));
  }
  return files;
}

struct XmlDeleter {
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  void operator()(xmlChar* text) const { xmlFree(text); }
};

std::optional<std::string> attribute(const xmlNode* element, const char* name) {
  const auto* wanted = reinterpret_cast<const xmlChar*>(name);
  if (xmlHasProp(element, wanted) == nullptr) return std::nullopt;
  const std::unique_ptr<xmlChar, XmlDeleter> value(xmlGetProp(element, wanted));
  return value ? std::string(reinterpret_cast<const char*>(value.get())) : std::string();
}

// The next node of the document in the order of its text; none at the end.
const xmlNode* next_node(const xmlNode* node) {
  if (node->type == XML_ELEMENT_NODE && node->children != nullptr) return node->children;
  while (node != nullptr && node->next == nullptr) node = node->parent;
  return node == nullptr ? nullptr : node->next;
}

// HTML 5 has names for these, which the parser of HTML 4 leaves as they are.
std::string with_known_references(std::string_view text) {
  static constexpr std::pair<std::string_view, char> references[] = {
      {"&colon;", ':'},  {"&plus;", '+'},   {"&period;", '.'}, {"&sol;", '/'},  {"&num;", '#'},   {"&equals;", '='},
      {"&lowbar;", '_'}, {"&percnt;", '%'}, {"&quest;", '?'},  {"&excl;", '!'}, {"&comma;", ','}, {"&apos;", '\''}};
  std::string known;
  known.reserve(text.size());
  while (!text.empty()) {
    const auto* const reference =
        std::ranges::find_if(references, [&](const auto& one) { return text.starts_with(one.first); });
    if (reference != std::end(references)) {
      known += fmt::format("&#{};", static_cast<int>(reference->second));
      text.remove_prefix(reference->first.size());
      continue;
    }
    const std::size_t next = std::min(text.find('&', 1), text.size());
    known += text.substr(0, next);
    text.remove_prefix(next);
  }
  return known;
}

Result<std::vector<IndexFile>> parse_html(const std::string& page) {
  const std::string text = with_known_references(page);
  constexpr int quiet = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET;
  const std::unique_ptr<xmlDoc, XmlDeleter> document(
      htmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "UTF-8", quiet));
  std::vector<IndexFile> files;
  bool any_link = false;
  const xmlNode* node = document ? xmlDocGetRootElement(document.get()) : nullptr;
  for (; node != nullptr; node = next_node(node)) {
    if (node->type != XML_ELEMENT_NODE || std::string_view(reinterpret_cast<const char*>(node->name)) != "a") continue;
    const auto address = attribute(node, "href");
    if (!address) continue;
    any_link = true;
    IndexFile file{.name = file_of_address(trim(*address))};
    if (file.name.empty()) continue;
    file.uploaded = upload_time(attribute(node, "data-upload-time").value_or(""));
    if (const auto yanked = attribute(node, "data-yanked")) file.yanked = one_line(*yanked);
    files.push_back(std::move(file));
  }
  if (!any_link) return fail(ErrorKind::transient, "the index answered with a page without links");
  return files;
}

}  // namespace

std::string file_of_address(std::string_view address) {
  address = address.substr(0, address.find_first_of("?#"));
  const std::string name = percent_decoded(address.substr(address.rfind('/') + 1));
  static constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+!_-";
  const bool plain = name.size() <= longest_file_name && name.find_first_not_of(allowed) == std::string::npos;
  return plain ? name : std::string();
}

Result<std::vector<IndexFile>> parse_index_page(const std::string& text) {
  if (text.size() > INT_MAX) return fail(ErrorKind::transient, "the index answered with a page of over 2 GiB");
  return trim(text).starts_with('{') ? parse_json(text) : parse_html(text);
}

}  // namespace tbci::runner
