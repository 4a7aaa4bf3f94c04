#include "web/http/session.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <limits>

#include "base/log.hpp"
#include "base/text.hpp"

namespace tbci::web::http {

namespace beast = boost::beast;
using boost::system::error_code;

namespace {

constexpr std::size_t most_drained_bytes = std::size_t{256} * 1024;
constexpr auto drain_limit = std::chrono::seconds(2);

Reply plain(int status, std::string_view text) {
  return {status, "text/plain; charset=utf-8", std::string(text) + "\n", false};
}

/// The page may load only what this server serves, and nothing inline. Other sites may not frame it or learn its
/// address.
void set_headers(beast::http::response_header<>& header, const Reply& reply) {
  header.set(beast::http::field::server, "tbci");
  header.set(beast::http::field::content_type, reply.content_type);
  header.set("Content-Security-Policy",
             "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
             "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  header.set("X-Content-Type-Options", "nosniff");
  header.set("X-Frame-Options", "DENY");
  header.set("Referrer-Policy", "no-referrer");
  header.set("Cross-Origin-Opener-Policy", "same-origin");
  header.set("Cross-Origin-Resource-Policy", "same-origin");
  header.set(beast::http::field::cache_control, reply.cacheable ? "public, max-age=86400, immutable" : "no-store");
  if (reply.status == 405) header.set(beast::http::field::allow, "GET, HEAD");
}

/// Whether the client sent something that is not HTTP; false if it only closed the connection.
bool is_malformed(error_code error) {
  const error_code gone = beast::http::make_error_code(beast::http::error::end_of_stream);
  return error && error.category() == gone.category() && error != gone && error != beast::http::error::partial_message;
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Reply Hub::answer(const Request& request) {
  const std::shared_lock running(gate_);
  if (!handler_) return plain(503, "the service is stopping");
  try {
    return handler_(request);
  } catch (const std::exception& exception) {
    log::error("cannot answer {}: {}", one_line(request.path), one_line(exception.what()));
  } catch (...) {
    log::error("cannot answer {}: an unknown exception", one_line(request.path));
  }
  return plain(500, "the service failed to answer; its log says why");
}

bool Hub::join(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  if (closed_ || sessions_.size() >= settings.connection_limit) return false;
  sessions_.emplace(session.get(), session);
  return true;
}

void Hub::leave(const Session* session) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(session);
}

void Hub::close() {
  std::map<const Session*, std::weak_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    sessions.swap(sessions_);
  }
  for (const auto& [address, weak] : sessions) {
    if (const auto session = weak.lock()) session->end();
  }
  const std::unique_lock none_runs(gate_);
  handler_ = nullptr;
}

Session::Session(boost::asio::ip::tcp::socket socket, std::shared_ptr<Hub> hub)
    : stream_(std::move(socket)), hub_(std::move(hub)) {}

Session::~Session() {
  hub_->leave(this);
}

void Session::start() {
  boost::asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->read(); });
}

void Session::end() {
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] { self->stream_.close(); });
}

void Session::read() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(hub_->settings.header_limit_bytes));
  // No body is read, so none is too long. (boost::none would refuse every body in Boost 1.74.)
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  // The limit is for the whole header, so that a client cannot gain time by sending single bytes.
  stream_.expires_after(hub_->settings.time_limit);
  beast::http::async_read_header(stream_, buffer_, *parser_,
                                 [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
}

void Session::on_read(error_code error) {
  if (error == beast::http::error::header_limit) {
    keep_ = false;
    return write(plain(431, "the request's header is too long"));
  }
  if (is_malformed(error)) {
    keep_ = false;
    return write(plain(400, "this is not HTTP as the service speaks it"));
  }
  // The client is gone, was idle for too long, or the server ended the session: nobody waits for an answer.
  if (error) return;
  write(reply());
}

Reply Session::reply() {
  const auto& header = parser_->get();
  const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
  keep_ = header.keep_alive() && !has_body;
  const std::string method = text_of(header.method_string());
  if (method != "GET" && method != "HEAD") {
    keep_ = false;
    return plain(405, "only GET and HEAD: the service is read here, never changed");
  }
  if (has_body) return plain(413, "a request has no body here");
  if (header.count(beast::http::field::host) > 1 ||
      (header.version() >= 11 && !header.count(beast::http::field::host))) {
    return plain(400, "a request needs one Host header");
  }
  if (!is_allowed_host(text_of(header[beast::http::field::host]), hub_->hosts)) {
    return plain(421, "the service answers to localhost, 127.0.0.1, [::1] and the names in [service] page_names");
  }
  const auto request = parse_target(method, text_of(header.target()));
  if (!request) return plain(400, request.error().message);
  return hub_->answer(*request);
}

void Session::write(Reply reply) {
  const bool head = parser_->is_header_done() && parser_->get().method() == beast::http::verb::head;
  const unsigned version = parser_->is_header_done() ? parser_->get().version() : 11;
  response_.emplace(static_cast<beast::http::status>(reply.status), version);
  set_headers(*response_, reply);
  response_->keep_alive(keep_);
  response_->content_length(reply.body.size());
  if (!head) response_->body() = std::move(reply.body);
  stream_.expires_after(hub_->settings.time_limit);
  beast::http::async_write(stream_, *response_,
                           [self = shared_from_this()](error_code error, std::size_t) { self->on_written(error); });
}

void Session::on_written(error_code error) {
  if (error) return;
  if (keep_) return read();
  error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(drain_limit);
  drain();
}

// For a moment, discards what the client still sends: closing at once would reset the connection, and the client
// would not see the answer.
void Session::drain() {
  if (drained_bytes_ > most_drained_bytes) return;
  stream_.async_read_some(boost::asio::buffer(waste_),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            self->drained_bytes_ += bytes;
                            if (!error) self->drain();
                          });
}

}  // namespace tbci::web::http
