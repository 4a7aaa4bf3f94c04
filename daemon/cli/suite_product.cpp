#include "daemon/cli/suite_product.hpp"

#include "pipeline/measure/building.hpp"

namespace tbci::daemon {

Result<model::Product> product_to_ask(pipeline::SubjectContext& context, const std::string& build) {
  if (build.empty() && !context.subject.subject.torch_base.empty()) {
    return model::Product{
        .libtorch = context.subject.subject.torch_base, .preload = {}, .python = {}, .commit = {}, .version = {}};
  }
  if (!build.empty())
    return pipeline::build_named(context, build).map([](const model::Build& found) { return found.product; });
  TBCI_ASSIGN(const auto builds, context.stores.builds.list(context.name(), 100));
  for (const model::Build& known : builds) {
    if (known.state == model::BuildState::ready) return known.product;
  }
  return fail(ErrorKind::usage, "no build of {} is installed yet: name one with --build", context.name());
}

}  // namespace tbci::daemon
