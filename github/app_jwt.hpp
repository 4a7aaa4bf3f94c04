// How a GitHub App says who it is.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::github {

/// A JSON Web Token (RS256) of the App `issuer` (its client id or app id), valid from a minute ago for ten minutes
/// altogether, as GitHub allows at most. `pem` is the App's private key. Errors (machine): no private RSA key; they
/// never hold a part of it.
Result<std::string> app_jwt(std::string_view issuer, const std::string& pem, TimePoint now);

}  // namespace tbci::github
