#include "settings/toml_reader.hpp"

#include <toml++/toml.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::settings {

struct TomlReader::Document {
  std::string name;
  toml::table root;
  std::optional<std::string> first_error;
};

struct TomlReader::Node {
  std::shared_ptr<Document> document;
  const toml::table* table;
  std::string where;  // `subject.nightlies`, for messages
  std::vector<std::string> known;
  std::vector<std::shared_ptr<Node>> children;

  const toml::node* find(const char* key) {
    known.emplace_back(key);
    return table == nullptr ? nullptr : table->get(key);
  }
  std::string name_of(const char* key) const { return where.empty() ? key : where + "." + key; }
  void refuse(const char* key, const toml::node* node, const std::string& why) {
    if (document->first_error) return;
    const auto line = node != nullptr ? fmt::format(":{}", node->source().begin.line) : std::string();
    document->first_error = fmt::format("{}{}: {}: {}", document->name, line, name_of(key), why);
  }
  void expand(const char* key, const toml::node* node, std::string& text) {
    for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
      const std::size_t end = text.find('}', at);
      const std::string name = end == std::string::npos ? text.substr(at + 2) : text.substr(at + 2, end - at - 2);
      const char* value = std::getenv(name.c_str());
      if (end == std::string::npos || value == nullptr) {
        refuse(key, node,
               fmt::format("the environment variable {} is not set: export it, or write the value here", name));
        return;
      }
      text.replace(at, end + 1 - at, value);
      at += std::string_view(value).size();
    }
  }
  std::string text_of(const char* key, const toml::node& node) {
    const auto value = node.value_exact<std::string>();
    if (!value) {
      refuse(key, &node, "must be a text in quotation marks");
      return {};
    }
    std::string text = *value;
    expand(key, &node, text);
    return text;
  }
  std::vector<std::string> texts_of(const char* key, const toml::node& node) {
    std::vector<std::string> texts;
    const toml::array* array = node.as_array();
    if (array == nullptr) refuse(key, &node, R"(must be a list of texts, as in ["a", "b"])");
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) texts.push_back(text_of(key, *array->get(i)));
    return texts;
  }
  Status unknown_keys() {
    if (table == nullptr) return {};
    for (const auto& [name, value] : *table) {
      const std::string key(name.str());
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        return fail(ErrorKind::usage, "{}:{}: unknown key '{}'{}: {} takes {}", document->name,
                    value.source().begin.line, name_of(key.c_str()), did_you_mean(key, known),
                    where.empty() ? "this file" : "[" + where + "]", join(known, ", "));
      }
    }
    for (const auto& child : children) TBCI_TRY(child->unknown_keys());
    return {};
  }
};

TomlReader::TomlReader(std::shared_ptr<Node> node) : node_(std::move(node)) {}
TomlReader::TomlReader(TomlReader&&) noexcept = default;
TomlReader& TomlReader::operator=(TomlReader&&) noexcept = default;
TomlReader::~TomlReader() = default;

Result<TomlReader> TomlReader::from_file(const std::string& path) {
  auto text = read_named_file(path);
  if (!text) return fail(ErrorKind::usage, "{}; name a configuration with --config FILE", text.error().message);
  return from_text(*text, path);
}

Result<TomlReader> TomlReader::from_text(const std::string& text, const std::string& name) {
  auto document = std::make_shared<Document>();
  document->name = name;
  try {
    document->root = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return fail(ErrorKind::usage, "{}:{}: not valid TOML: {}", name, error.source().begin.line,
                one_line(error.description()));
  }
  return TomlReader(std::make_shared<Node>(Node{document, &document->root, "", {}, {}}));
}

std::string TomlReader::text(const char* key, const std::string& otherwise) {
  const toml::node* node = node_->find(key);
  return node == nullptr ? otherwise : node_->text_of(key, *node);
}

std::string TomlReader::text_or_integer(const char* key) {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return {};
  const auto number = node->value_exact<std::int64_t>();
  return number ? std::to_string(*number) : node_->text_of(key, *node);
}

std::string TomlReader::required_text(const char* key) {
  std::string value = text(key, "");
  if (value.empty() && node_->table != nullptr) node_->refuse(key, node_->table, "is missing");
  if (value.empty() && node_->table == nullptr) node_->refuse(key, nullptr, "is missing");
  return value;
}

bool TomlReader::flag(const char* key, bool otherwise) {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value_exact<bool>();
  if (!value) node_->refuse(key, node, "must be true or false");
  return value.value_or(otherwise);
}

std::int64_t TomlReader::integer(const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    node_->refuse(key, node, fmt::format("must be a whole number from {} to {}", least, most));
    return otherwise;
  }
  return *value;
}

double TomlReader::number(const char* key, double otherwise, double least, double most) {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value<double>();
  if (!node->is_number() || !value || !(*value >= least && *value <= most)) {
    node_->refuse(key, node, fmt::format("must be a number from {} to {}", least, most));
    return otherwise;
  }
  return *value;
}

std::chrono::milliseconds TomlReader::seconds(const char* key, std::chrono::milliseconds otherwise) {
  const double value = number(key, std::chrono::duration<double>(otherwise).count(), 0.001, 1e7);
  return std::chrono::milliseconds(std::llround(value * 1000));
}

std::vector<std::string> TomlReader::texts(const char* key) {
  const toml::node* node = node_->find(key);
  return node == nullptr ? std::vector<std::string>{} : node_->texts_of(key, *node);
}

std::vector<std::vector<std::string>> TomlReader::text_lists(const char* key) {
  const toml::node* node = node_->find(key);
  std::vector<std::vector<std::string>> lists;
  if (node == nullptr) return lists;
  const toml::array* array = node->as_array();
  if (array == nullptr) node_->refuse(key, node, R"(must be a list of commands, as in [["make", "-j2"]])");
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i)
    lists.push_back(node_->texts_of(key, *array->get(i)));
  return lists;
}

std::vector<int> TomlReader::integers(const char* key) {
  const toml::node* node = node_->find(key);
  std::vector<int> values;
  if (node == nullptr) return values;
  const toml::array* array = node->as_array();
  if (array == nullptr) node_->refuse(key, node, "must be a list of whole numbers, as in [0, 1]");
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const auto value = array->get(i)->value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > 4095)
      node_->refuse(key, node, "must be a list of whole numbers from 0 to 4095");
    values.push_back(static_cast<int>(value.value_or(0)));
  }
  return values;
}

std::vector<std::pair<std::string, std::string>> TomlReader::text_map(const char* key) {
  const toml::node* node = node_->find(key);
  std::vector<std::pair<std::string, std::string>> map;
  if (node == nullptr) return map;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    node_->refuse(key, node, "must be a table of texts");
    return map;
  }
  for (const auto& [name, value] : *table) {
    map.emplace_back(std::string(name.str()), node_->text_of(key, value));
  }
  return map;
}

std::vector<std::pair<std::string, std::vector<std::string>>> TomlReader::text_list_map(const char* key) {
  const toml::node* node = node_->find(key);
  std::vector<std::pair<std::string, std::vector<std::string>>> map;
  if (node == nullptr) return map;
  const toml::table* table = node->as_table();
  if (table == nullptr) node_->refuse(key, node, R"(must be a table of lists, as in { nlp = ["slow"] })");
  if (table == nullptr) return map;
  for (const auto& [name, value] : *table) map.emplace_back(std::string(name.str()), node_->texts_of(key, value));
  return map;
}

bool TomlReader::has(const char* key) const {
  return node_->table != nullptr && node_->table->contains(key);
}

TomlReader TomlReader::table(const char* key) {
  const toml::node* node = node_->find(key);
  if (node != nullptr && !node->is_table()) node_->refuse(key, node, "must be a table");
  const toml::table* table = node != nullptr ? node->as_table() : nullptr;
  auto child = std::make_shared<Node>(Node{node_->document, table, node_->name_of(key), {}, {}});
  node_->children.push_back(child);
  return TomlReader(child);
}

std::vector<TomlReader> TomlReader::tables(const char* key) {
  const toml::node* node = node_->find(key);
  std::vector<TomlReader> readers;
  if (node == nullptr) return readers;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_array_of_tables()) {
    node_->refuse(key, node, fmt::format("must be tables, as in [[{}]]", key));
    return readers;
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto child = std::make_shared<Node>(Node{node_->document, array->get(i)->as_table(), node_->name_of(key), {}, {}});
    node_->children.push_back(child);
    readers.push_back(TomlReader(child));
  }
  return readers;
}

void TomlReader::refuse(const char* key, const std::string& why) {
  node_->refuse(key, node_->table != nullptr ? node_->table->get(key) : nullptr, why);
}

Status TomlReader::finish() {
  // A misspelt key often explains why another one is missing, so it is reported first.
  TBCI_TRY(node_->unknown_keys());
  const std::optional<std::string>& wrong = node_->document->first_error;
  return wrong ? Status(fail(ErrorKind::usage, "{}", *wrong)) : Status();
}

}  // namespace tbci::settings
