// ProcessGroupGloo.hpp includes it and uses nothing of it: see docs/decisions/0048-names-of-gloo.md.
#pragma once
