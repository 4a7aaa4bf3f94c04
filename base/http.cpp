#include "base/http.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"

namespace tbci {

namespace {

constexpr std::size_t largest_body_bytes = 64U << 20;
constexpr long longest_silence_seconds = 60;

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One request while it runs.
struct Exchange {
  CURL* curl;
  HttpResponse response;
  const TakePart& take;
  Status taken = {};
};

// curl takes any other number than that of the bytes as an error that ends the request.
std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  long status = 0;
  curl_easy_getinfo(exchange.curl, CURLINFO_RESPONSE_CODE, &status);
  exchange.response.status = static_cast<int>(status);
  exchange.taken = exchange.take(exchange.response, {data, size * count});
  return exchange.taken ? size * count : 0;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& headers = static_cast<Exchange*>(user)->response.headers;
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) headers.clear();  // of the answer that sent us on
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    headers[name] = std::string(trim(line.substr(colon + 1)));
  }
  return size * count;
}

// curl calls this at least once a second, also while it looks up a name or connects. Not 0 ends the request.
int ask_for_stop(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(user)->stop_requested() ? 1 : 0;
}

// Where no proxy is asked: what the environment says, and this machine. A proxy would see what is sent in clear, with
// the token in it, and would ask its own loopback.
std::string without_proxy() {
  std::string hosts;
  for (const char* const name : {"NO_PROXY", "no_proxy"}) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') hosts = value;
  }
  if (trim(hosts) == "*") return "*";  // curl reads it so only where it stands alone
  return hosts + (hosts.empty() ? "" : ",") + "127.0.0.1,localhost,::1";
}

// What is asked for, and for how long. The request must outlive what curl does.
void describe(const HttpRequest& request, CURL* curl) {
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "tbci");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.time_limit.count()));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, longest_silence_seconds);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  const bool encrypted = request.url.starts_with("https://");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, request.keeps_https && encrypted ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, request.redirects > 0 ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, static_cast<long>(request.redirects));
  curl_easy_setopt(curl, CURLOPT_NOPROXY, without_proxy().c_str());
  if (!request.proxy.empty()) curl_easy_setopt(curl, CURLOPT_PROXY, request.proxy.c_str());
  if (!request.certificates.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, request.certificates.c_str());
  if (request.method != "GET" && request.method != "HEAD") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
}

}  // namespace

CurlHttpClient::CurlHttpClient() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(once);
}

Result<HttpResponse> CurlHttpClient::send(const HttpRequest& request) {
  std::string body;
  auto response = receive(request, [&](const HttpResponse&, std::string_view part) -> Status {
    if (body.size() + part.size() > largest_body_bytes) {
      return fail(ErrorKind::transient, "{} {}: the answer is larger than {} MiB", request.method, request.url,
                  largest_body_bytes >> 20);
    }
    body += part;
    return {};
  });
  if (response) response->body = std::move(body);
  return response;
}

Result<HttpResponse> CurlHttpClient::receive(const HttpRequest& request, const TakePart& take) {
  const std::unique_ptr<CURL, CurlDeleter> handle(curl_easy_init());
  if (!handle) return fail(ErrorKind::machine, "cannot start an HTTP request: curl_easy_init failed");
  std::unique_ptr<curl_slist, CurlDeleter> headers;
  for (const auto& [name, value] : request.headers) {
    headers.reset(curl_slist_append(headers.release(), fmt::format("{}: {}", name, value).c_str()));
  }
  CURL* curl = handle.get();
  Exchange exchange{.curl = curl, .response = {}, .take = take};
  std::stop_token stop = request.stop;
  describe(request, curl);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, ask_for_stop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, static_cast<void*>(&stop));
  const CURLcode code = curl_easy_perform(curl);
  if (!exchange.taken) return pass_on(exchange.taken.error());
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return fail(ErrorKind::interrupted, "{} {}: stopped before the answer came", request.method, request.url);
  }
  if (code != CURLE_OK) {
    return fail(ErrorKind::transient, "{} {}: {}", request.method, request.url, curl_easy_strerror(code));
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  exchange.response.status = static_cast<int>(status);
  return std::move(exchange.response);
}

}  // namespace tbci
