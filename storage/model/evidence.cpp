#include "storage/model/evidence.hpp"

#include "base/assert.hpp"

namespace tbci::model {

std::string_view to_string(EvidenceUnit unit) {
  switch (unit) {
    case EvidenceUnit::count:
      return "count";
    case EvidenceUnit::bytes:
      return "bytes";
    case EvidenceUnit::nanoseconds:
      return "nanoseconds";
  }
  TBCI_ASSERT(false);
}

Result<EvidenceUnit> evidence_unit_from(std::string_view text) {
  for (const EvidenceUnit unit : {EvidenceUnit::count, EvidenceUnit::bytes, EvidenceUnit::nanoseconds}) {
    if (to_string(unit) == text) return unit;
  }
  return fail(ErrorKind::usage, "'{}' is not a unit of evidence: count, bytes or nanoseconds", text);
}

}  // namespace tbci::model
