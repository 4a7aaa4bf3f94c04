// What installs nightlies here: pip, and uv for the unpacking.
#include "runner/doctor/checks.hpp"
#include "runner/nightly/uv_tool.hpp"

namespace tbci::runner {

Check check_pip(const MachineFacts& facts, const DoctorSettings& settings) {
  if (settings.python.empty()) return passed("pip", "not used here");
  if (facts.python_trouble.empty()) return passed("pip", settings.python + " has pip and venv");
  return problem(
      "pip", facts.python_trouble,
      "install python3-pip and python3-venv (deploy/deps does), or name another python in [subject.nightlies]");
}

Check check_unpacker(const MachineFacts& facts, const DoctorSettings& settings) {
  const auto uv = usable_uv(settings.unpacker, facts.uv);
  if (!uv) return problem("uv", uv.error().message, "install uv, for instance with pip, where tbci finds it on PATH");
  if (const std::optional<std::string>& usable = *uv)
    return passed("uv", *usable + ": unpacks the wheels of nightlies");
  if (settings.unpacker == WheelUnpacker::pip) return passed("uv", "not used here");
  const std::string why = facts.uv ? fmt::format("{} is older than {}", *facts.uv, oldest_usable_uv) : "not installed";
  return passed("uv", why + ": pip unpacks the wheels of nightlies");
}

}  // namespace tbci::runner
