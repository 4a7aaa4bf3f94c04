#include "storage/model/configuration.hpp"

#include "storage/model/words.hpp"
#include "tests/catch.hpp"

namespace tbci::configuration_test {

using namespace model;

TEST_CASE("Configurations: a backend other than eager is part of the name, and comes back", "[words]") {
  for (const Configuration& plain : all_configurations) {
    for (const Backend backend : all_backends) {
      const Configuration configuration = with(backend, plain);
      CAPTURE(to_string(configuration));
      CHECK(configuration_from(to_string(configuration)).value() == configuration);
    }
  }
  CHECK(to_string(Configuration::gpu_train) == "gpu-train");
  CHECK(to_string(with(Backend::jit_frozen, Configuration::cpu_infer)) == "cpu-infer:jit-frozen");
  CHECK(to_string(series_from("dlrm/cpu-infer:jit/time").value()) == "dlrm/cpu-infer:jit/time");
}

TEST_CASE("Configurations: each has one name, and an unknown word comes with the nearest one", "[words]") {
  const auto error = [](std::string_view text) { return configuration_from(text).error().message; };
  CHECK(error("cpu-infer:eager") == "'cpu-infer:eager': eager is written without its name");
  CHECK(error("cpu-infer:jit-frozn").find("unknown backend 'jit-frozn' (did you mean 'jit-frozen'?)") == 0);
  CHECK(error("cpu-tain:jit").find("unknown configuration 'cpu-tain' (did you mean 'cpu-train'?)") == 0);
  CHECK_FALSE(eager_configuration_from("cpu-infer:jit"));
}

TEST_CASE("Configurations: those of one backend sort behind eager, device by device", "[words]") {
  CHECK(Configuration::cpu_train < Configuration::cpu_infer);
  CHECK(Configuration::cpu_infer < Configuration::gpu_train);
  CHECK(Configuration::cpu_infer < with(Backend::jit, Configuration::cpu_infer));
  CHECK(with(Backend::aoti, Configuration::cpu_infer) < Configuration::gpu_train);
}

TEST_CASE("Configurations: a name without a backend covers all backends", "[words]") {
  const Configuration frozen = with(Backend::jit_frozen, Configuration::cpu_infer);
  CHECK(covers(Configuration::cpu_infer, frozen));
  CHECK(covers(frozen, frozen));
  CHECK_FALSE(covers(frozen, Configuration::cpu_infer));
  CHECK_FALSE(covers(Configuration::cpu_train, frozen));
}

TEST_CASE("Configurations: backends that make constants of weights do not train", "[words]") {
  CHECK(fits(Backend::jit, Configuration::cpu_train));
  CHECK_FALSE(fits(Backend::jit, Configuration::gpu_train));
  CHECK_FALSE(fits(Backend::jit_frozen, Configuration::cpu_train));
  CHECK_FALSE(fits(Backend::onednn_graph, Configuration::gpu_infer));
  CHECK(fits(Backend::inductor, Configuration::gpu_train));
}

}  // namespace tbci::configuration_test
