#include "web/http/message.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/text.hpp"

namespace tbci::web::http {

namespace {

// `[::1]:8712`: what is before the port; nothing where that cannot be a port.
std::optional<std::string_view> without_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return host;
  const std::string_view port = host.substr(colon + 1);
  const bool is_port =
      !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
  return is_port ? std::optional(host.substr(0, colon)) : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lowered;
}

bool is_ip_address(const std::string& host) {
  std::array<unsigned char, 16> ignored{};
  if (!host.starts_with('[')) return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1;
  return host.ends_with(']') && ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), ignored.data()) == 1;
}

constexpr std::size_t most_parameters = 32;

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

enum class Plus { is_plus, is_space };

Result<std::string> decoded(std::string_view text, Plus plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus == Plus::is_space) {
      c = ' ';
    } else if (c == '%') {
      const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return fail(ErrorKind::usage, "'%' in an address needs two hex digits behind it");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return fail(ErrorKind::usage, "an address may have no NUL");
    out += c;
  }
  return out;
}

}  // namespace

Result<Request> parse_target(std::string_view method, std::string_view target) {
  target = target.substr(0, target.find('#'));
  if (target.empty() || target.front() != '/') {
    return fail(ErrorKind::usage, "the request target must begin with '/'");
  }
  const std::size_t mark = target.find('?');
  Request request;
  request.method = method;
  TBCI_ASSIGN(request.path, decoded(target.substr(0, mark), Plus::is_plus));
  if (mark == std::string_view::npos) return request;
  const auto pairs = split(target.substr(mark + 1), '&');
  if (pairs.size() > most_parameters) {
    return fail(ErrorKind::usage, "more than {} parameters in an address", most_parameters);
  }
  for (const std::string_view pair : pairs) {
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    TBCI_ASSIGN(const std::string name, decoded(pair.substr(0, equals), Plus::is_space));
    std::string value;
    if (equals != std::string_view::npos) {
      TBCI_ASSIGN(value, decoded(pair.substr(equals + 1), Plus::is_space));
    }
    request.query.insert_or_assign(name, std::move(value));
  }
  return request;
}

std::string percent_encoded(std::string_view text) {
  static constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

bool is_host_name(std::string_view name) {
  constexpr std::size_t longest = 253;
  const auto belongs = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= longest && std::ranges::all_of(name, belongs);
}

bool is_allowed_host(std::string_view host, const HostRules& rules) {
  static constexpr std::array<std::string_view, 3> own = {"localhost", "127.0.0.1", "[::1]"};
  const auto name = without_port(host);
  if (!name) return false;
  const std::string wanted = lower_case(*name);
  if (std::ranges::find(own, wanted) != own.end()) return true;
  if (rules.any_address && is_ip_address(wanted)) return true;
  return std::ranges::any_of(rules.names, [&](const std::string& one) { return lower_case(one) == wanted; });
}

}  // namespace tbci::web::http
