// What pip learns from its environment: never from arguments, which everybody on the machine can read. Pure, but for
// the look whether a person's file exists.
#pragma once

#include <map>
#include <string>

namespace tbci::runner {

/// The variables of pip for an index. With an address no file of pip's own configuration is read, and of the PIP_
/// variables in `ours` only those count that say how to connect and where to cache. Without one ("pip's own
/// configuration") all of them count, and the files of the machine and the person.
std::map<std::string, std::string> pip_environment(const std::string& index_url,
                                                   const std::map<std::string, std::string>& ours);

}  // namespace tbci::runner
