#include "suite/gpu/callers.hpp"

#ifdef TBCI_WITH_CUPTI
#include "suite/gpu/activities.hpp"
#endif

namespace tbci::suite {
namespace {

#ifdef TBCI_WITH_CUPTI

class CuptiTrace final : public CallerTrace {
 public:
  std::string why_not() const override { return tracing_.why_not(); }
  void enter(std::uint64_t who) override { Tracing::enter(who); }
  void leave() override { Tracing::leave(); }

  bool take(TimesByCaller& times) override {
    const auto records = tracing_.records();
    if (!records) return false;
    for (const GpuRecord& record : records->work) {
      const auto caller = records->callers.find(record.call);
      const GpuSpan& span = record.activity.span;
      times[caller == records->callers.end() ? 0 : caller->second] += span.end - span.begin;
    }
    return true;
  }

  bool take(std::vector<CalledWork>& work) override {
    const auto records = tracing_.records();
    if (!records) return false;
    for (const GpuRecord& record : records->work) {
      const auto caller = records->callers.find(record.call);
      const GpuActivity& activity = record.activity;
      work.push_back({activity.kind == GpuActivity::Kind::movement, activity.span.begin, activity.span.end,
                      caller == records->callers.end() ? 0 : caller->second, record.stream});
    }
    return true;
  }

  std::optional<std::int64_t> now() override { return tracing_.now(); }

 private:
  Tracing tracing_{Traced::work_and_callers, "no profile of the GPU's operators"};
};

#else

class CuptiTrace final : public CallerTrace {
 public:
  std::string why_not() const override { return "cupti.h was not found when the worker was built"; }
  void enter(std::uint64_t) override {}
  void leave() override {}
  bool take(TimesByCaller&) override { return false; }
  bool take(std::vector<CalledWork>&) override { return false; }
  std::optional<std::int64_t> now() override { return std::nullopt; }
};

#endif

}  // namespace

std::unique_ptr<CallerTrace> trace_callers() {
  return std::make_unique<CuptiTrace>();
}

}  // namespace tbci::suite
