// What a request is signed with: a token from a file, or that of an installed GitHub App.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "github/transport.hpp"

namespace tbci::github {

/// Reads the files each time that it needs them, so what a person writes there holds at once. Not thread-safe.
class Credentials {
 public:
  /// `transport` must outlive it.
  explicit Credentials(Transport& transport) : transport_(transport) {}

  /// The token of the next request. An App's is bought from GitHub, and again some minutes before it ends. Failures are
  /// never refusals: a file can be written, a permission given.
  Or<std::string> token(std::stop_token stop);

  /// GitHub did not take the token: the next one is bought. False where that would be the same one again.
  bool renew();

  /// The name of the App in addresses, as in https://github.com/apps/NAME. Only where an App is set.
  Or<std::string> app_name(std::stop_token stop);

 private:
  struct Bought {
    std::string token;
    SteadyTime renew_after;
  };
  Or<std::string> jwt() const;
  Or<Bought> buy(std::stop_token stop);

  Transport& transport_;
  std::optional<Bought> bought_;
};

}  // namespace tbci::github
