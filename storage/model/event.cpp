#include "storage/model/event.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<EventKind> event_kinds = {{EventKind::environment, "environment"}, {EventKind::moved, "moved"}};

}  // namespace

std::string_view to_string(EventKind kind) {
  return name_of(kind, event_kinds);
}

Result<EventKind> event_kind_from(std::string_view text) {
  return value_of_name(text, event_kinds, "kind of event");
}

}  // namespace tbci::model
