#include "bisect/native_functions.hpp"

#include <yaml.h>

#include <memory>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace tbci::bisect {
namespace {

/// Owns a document of libyaml.
class Document {
 public:
  static Result<std::unique_ptr<Document>> load(std::string_view text) {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) return fail(ErrorKind::machine, "out of memory while reading YAML");
    const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> end(&parser, yaml_parser_delete);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    std::unique_ptr<Document> loaded(new Document);
    if (yaml_parser_load(&parser, &loaded->document_) == 0) {
      return fail(ErrorKind::failed, "line {} is not YAML: {}", parser.problem_mark.line + 1,
                  parser.problem != nullptr ? one_line(parser.problem, 80) : "it cannot be read");
    }
    loaded->loaded_ = true;
    return loaded;
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document() {
    if (loaded_) yaml_document_delete(&document_);
  }

  const yaml_node_t* root() { return yaml_document_get_root_node(&document_); }
  const yaml_node_t* node(int index) { return yaml_document_get_node(&document_, index); }

 private:
  Document() = default;
  yaml_document_t document_{};
  bool loaded_ = false;
};

std::optional<std::string_view> scalar(const yaml_node_t* node) {
  if (node == nullptr || node->type != YAML_SCALAR_NODE) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(node->data.scalar.value), node->data.scalar.length);
}

const yaml_node_t* value_of(Document& document, const yaml_node_t* mapping, std::string_view key) {
  const auto& pairs = mapping->data.mapping.pairs;
  for (const yaml_node_pair_t* pair = pairs.start; pair != pairs.top; ++pair) {
    if (scalar(document.node(pair->key)) == key) return document.node(pair->value);
  }
  return nullptr;
}

/// `embedding_bag` of `embedding_bag.padding_idx(Tensor weight, ...) -> (...)`.
std::string base_name(std::string_view signature) {
  return std::string(trim(signature.substr(0, signature.find_first_of(".("))));
}

void add_entry(Document& document, const yaml_node_t* entry, std::map<std::string, std::set<std::string>>& kernels) {
  if (entry == nullptr || entry->type != YAML_MAPPING_NODE) return;
  const auto signature = scalar(value_of(document, entry, "func"));
  if (!signature) return;
  const std::string name = base_name(*signature);
  if (name.empty()) return;
  const yaml_node_t* dispatch = value_of(document, entry, "dispatch");
  if (dispatch == nullptr || dispatch->type != YAML_MAPPING_NODE) {
    kernels[name].insert(name);
    return;
  }
  const auto& pairs = dispatch->data.mapping.pairs;
  for (const yaml_node_pair_t* pair = pairs.start; pair != pairs.top; ++pair) {
    const auto kernel = scalar(document.node(pair->value));
    // A function of another namespace has it as a prefix: `at::native::mps::f`.
    if (kernel) kernels[name].insert(std::string(kernel->substr(kernel->rfind(':') + 1)));
  }
}

}  // namespace

Result<Kernels> read_native_functions(std::string_view yaml) {
  TBCI_ASSIGN(const auto document, Document::load(yaml));
  const yaml_node_t* root = document->root();
  if (root == nullptr || root->type != YAML_SEQUENCE_NODE)
    return fail(ErrorKind::failed, "the file is not a list of operators");
  std::map<std::string, std::set<std::string>> found;
  const auto& items = root->data.sequence.items;
  for (const yaml_node_item_t* item = items.start; item != items.top; ++item)
    add_entry(*document, document->node(*item), found);
  Kernels kernels;
  for (const auto& [name, functions] : found) kernels[name].assign(functions.begin(), functions.end());
  return kernels;
}

}  // namespace tbci::bisect
