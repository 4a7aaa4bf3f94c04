#include "tests/suite/standin/generator.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include "tests/suite/standin/memory.hpp"

namespace tbci::suite::standin {
namespace {

class Generator final : public c10::GeneratorImpl {
 public:
  explicit Generator(at::Generator host)
      : c10::GeneratorImpl(standin::device, c10::DispatchKeySet(c10::DispatchKey::CUDA)), host_(std::move(host)) {}

  const at::Generator& host() const { return host_; }

  void set_current_seed(std::uint64_t seed) override { host_.set_current_seed(seed); }
  void set_offset(std::uint64_t offset) override { host_.set_offset(offset); }
  std::uint64_t get_offset() const override { return host_.get_offset(); }
  std::uint64_t current_seed() const override { return host_.current_seed(); }
  std::uint64_t seed() override { return host_.unsafeGetGeneratorImpl()->seed(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }

 private:
  Generator* clone_impl() const override { return new Generator(host_.clone()); }

  at::Generator host_;
};

}  // namespace

const at::Generator& default_generator() {
  static const at::Generator one = at::make_generator<Generator>(at::detail::getDefaultCPUGenerator());
  return one;
}

at::Generator host_generator(const at::Generator& generator) {
  TORCH_CHECK(generator.device() == device, "Expected a 'cuda' device type for generator but found '",
              generator.device().type(), "'");
  return static_cast<const Generator*>(generator.unsafeGetGeneratorImpl())->host();
}

}  // namespace tbci::suite::standin
