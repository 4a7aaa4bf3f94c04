// NVIDIA's tracing library: the copy that LibTorch has loaded. A second copy would find the first one's subscription.
#pragma once

#include <cupti.h>

#include <optional>

namespace tbci::suite {

// The functions of cupti.h that the worker calls, under their names without `cupti`, or shorter ones.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) get_dropped_records = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_caller = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_caller = nullptr;
  decltype(&cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
};

// Nothing if the process has loaded no CUPTI, or one without one of the functions.
std::optional<Cupti> loaded_cupti();

}  // namespace tbci::suite
