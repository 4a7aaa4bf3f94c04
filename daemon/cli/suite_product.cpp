#include "daemon/cli/suite_product.hpp"

#include "daemon/pipeline/building.hpp"

namespace tbci::daemon {

Result<model::Product> product_to_ask(Desk& desk, const std::string& build) {
  if (build.empty() && !desk.subject.subject.torch_base.empty()) {
    return model::Product{
        .libtorch = desk.subject.subject.torch_base, .preload = {}, .python = {}, .commit = {}, .version = {}};
  }
  if (!build.empty()) return build_named(desk, build).map([](const model::Build& found) { return found.product; });
  TBCI_ASSIGN(const auto builds, desk.stores.builds.list(desk.name(), 100));
  for (const model::Build& known : builds) {
    if (known.state == model::BuildState::ready) return known.product;
  }
  return fail(ErrorKind::usage, "no build of {} is installed yet: name one with --build", desk.name());
}

}  // namespace tbci::daemon
