#include "storage/model/run_keys.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace tbci::model::run_keys {

namespace {

std::string brief(const std::string& commit) {
  return commit.substr(0, 12);
}

}  // namespace

std::string beside(const std::string& night, const std::string& old_build) {
  return fmt::format("{}/beside/{}", night, old_build);
}

std::string creep(const std::string& night, std::int64_t anchor_id) {
  return fmt::format("{}/anchor/{}", night, anchor_id);
}

std::string recovery(const std::string& night) {
  return night + "/recovery";
}

std::string breaks(const std::string& night, const std::string& old_build) {
  return fmt::format("{}/breaks/{}", night, old_build);
}

std::string between(const std::string& night, const std::string& old_build, const std::string& nightly) {
  return fmt::format("{}/between/{}/{}", night, old_build, nightly);
}

std::string comparison(TimePoint begun) {
  return "compare/" + to_iso8601(begun);
}

std::string backends(TimePoint begun) {
  return "backends/" + to_iso8601(begun);
}

std::string revert(std::int64_t bisection_id, const std::string& culprit) {
  return fmt::format("revert/{}/{}", bisection_id, brief(culprit));
}

std::string screen(const std::string& prefix) {
  return prefix + "/screen";
}

std::string confirm(const std::string& prefix) {
  return prefix + "/confirm";
}

std::string confirm_against(const std::string& prefix, const std::string& old_build) {
  return fmt::format("{}/confirm/{}", prefix, old_build);
}

std::string on_environment(const std::string& key, const std::string& fingerprint) {
  return fmt::format("{}@{}", key, brief(fingerprint));
}

std::string measurement(TimePoint begun) {
  return "run/" + to_iso8601(begun);
}

std::string operators(std::int64_t before_build_id, std::int64_t after_build_id) {
  return fmt::format("operators/{}-{}", before_build_id, after_build_id);
}

std::string night_bisection(const std::string& night, const std::string& old_build) {
  return old_build.empty() ? "night/" + night : fmt::format("night/{}/{}", night, old_build);
}

std::string narrowed_bisection(const std::string& night, const std::string& good, const std::string& bad) {
  return fmt::format("night/{}/{}/{}", night, good, bad);
}

std::string reopened_bisection(const std::string& night_bisection, std::int64_t regression_id, int asked) {
  const std::string key = fmt::format("{}/reopened/{}", night_bisection, regression_id);
  return asked == 0 ? key : fmt::format("{}/{}", key, asked);
}

std::string improvement_bisection(const std::string& night, const std::string& old_build) {
  return fmt::format("improved/{}/{}", night, old_build);
}

std::string manual_bisection(const std::string& from, const std::string& to, const std::string& question) {
  return fmt::format("manual/{}-{}/{}", brief(from), brief(to), sha256_hex(question).substr(0, 8));
}

std::string probe(std::int64_t bisection_id, const std::string& commit) {
  return fmt::format("bisect/{}/{}", bisection_id, brief(commit));
}

std::string control(std::int64_t bisection_id, const std::string& commit) {
  return fmt::format("bisect/{}/{}/control", bisection_id, brief(commit));
}

std::string probe_pair(std::int64_t bisection_id, const std::string& reference, const std::string& commit) {
  return fmt::format("bisect/{}/{}-{}", bisection_id, brief(reference), brief(commit));
}

}  // namespace tbci::model::run_keys
