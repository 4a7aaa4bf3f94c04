// The names alone: see docs/decisions/0048-names-of-gloo.md.
#pragma once

namespace gloo::transport {

class Device;
class UnboundBuffer;

}  // namespace gloo::transport
