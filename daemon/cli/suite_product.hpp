// Which build the commands about the suite ask.
#pragma once

#include <string>

#include "base/result.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"

namespace tbci::daemon {

/// The build of that name; for no name the LibTorch that the subject's libraries are laid over, else any build that is
/// there. Error (usage) where there is none.
Result<model::Product> product_to_ask(pipeline::SubjectContext& context, const std::string& build);

}  // namespace tbci::daemon
