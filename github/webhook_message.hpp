// What a webhook sends of a report. Pure: docs/manual.md describes it for who writes a receiver.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "github/delivery.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// `report.filed` for the first revision, `report.revised` for a later one; `digest.filed` for a digest.
std::string_view event_of(const model::Report& report);

/// 32 hex digits that are the same at each try of one revision, so that the receiver can drop what it has.
std::string delivery_id(const model::Report& report);

/// The JSON document: the event, its id, whom it is for (`to`), when it was sent, and the report.
std::string webhook_json(const Dispatch& dispatch, std::string_view to, TimePoint sent);

}  // namespace tbci::github
