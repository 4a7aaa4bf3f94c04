#include "tests/bench/thousand_nights/quiet_log.hpp"

#include <spdlog/spdlog.h>

#include "base/log.hpp"

namespace tbci::thousand {

void silence_log() {
  log::set_level(log::Level::error);  // makes the logger
  spdlog::get("tbci")->set_level(spdlog::level::off);
}

}  // namespace tbci::thousand
