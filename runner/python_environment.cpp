#include "runner/python_environment.hpp"

#include <array>

namespace tbci::runner {

namespace {

// A user's Python settings would change what is imported, or what it costs. Python treats an empty variable as unset.
constexpr std::array unset = {"PYTHONPATH",         "PYTHONHOME",         "PYTHONSTARTUP", "PYTHONOPTIMIZE",
                              "PYTHONMALLOC",       "PYTHONTRACEMALLOC",  "PYTHONDEVMODE", "PYTHONDEBUG",
                              "PYTHONINSPECT",      "PYTHONFAULTHANDLER", "PYTHONVERBOSE", "PYTHONBREAKPOINT",
                              "PYTHONASYNCIODEBUG", "PYTHONEXECUTABLE",   "PYTHONCASEOK",  "PYTHONPROFILEIMPORTTIME"};

}  // namespace

std::map<std::string, std::string> python_environment() {
  std::map<std::string, std::string> environment;
  for (const char* name : unset) environment[name] = "";
  environment["PYTHONNOUSERSITE"] = "1";         // packages of the user who runs tbci
  environment["PYTHONDONTWRITEBYTECODE"] = "1";  // the checkout belongs to the user: do not write into it
  environment["PYTHONHASHSEED"] = "0";           // otherwise the order of sets differs between processes
  return environment;
}

}  // namespace tbci::runner
