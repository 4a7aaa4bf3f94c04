#include "web/http/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "base/log.hpp"
#include "web/http/session.hpp"

namespace tbci::web::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto pause_after_failure = std::chrono::milliseconds(200);

Status opened(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code error;
  static_cast<void>(acceptor.open(endpoint.protocol(), error));
  if (!error) static_cast<void>(acceptor.set_option(asio::socket_base::reuse_address(true), error));
  if (!error) static_cast<void>(acceptor.bind(endpoint, error));
  if (!error) static_cast<void>(acceptor.listen(asio::socket_base::max_listen_connections, error));
  if (!error) return {};
  return fail(ErrorKind::machine, "cannot listen on {} port {}: {}; choose another port, or 0 for a free one",
              endpoint.address().to_string(), endpoint.port(), error.message());
}

}  // namespace

/// The listener: accepts connections and starts a session for each.
class Server::Implementation : public std::enable_shared_from_this<Server::Implementation> {
 public:
  Implementation(asio::io_context& context, std::shared_ptr<Hub> hub)
      : context_(context),
        strand_(asio::make_strand(context)),
        acceptor_(strand_),
        pause_(strand_),
        hub_(std::move(hub)) {}

  Status listen(const tcp::endpoint& endpoint) {
    TBCI_TRY(opened(acceptor_, endpoint));
    error_code error;
    endpoint_ = acceptor_.local_endpoint(error);
    if (error) return fail(ErrorKind::machine, "cannot tell the port that was opened: {}", error.message());
    asio::post(strand_, [self = shared_from_this()] { self->accept(); });
    return {};
  }

  const tcp::endpoint& endpoint() const { return endpoint_; }

  void stop() {
    hub_->close();
    asio::post(strand_, [self = shared_from_this()] {
      self->stopped_ = true;
      error_code ignored;
      static_cast<void>(self->acceptor_.close(ignored));
      self->pause_.cancel();
    });
  }

 private:
  void accept() {
    if (stopped_) return;
    // Each session has its own strand.
    acceptor_.async_accept(asio::make_strand(context_),
                           [self = shared_from_this()](error_code error, tcp::socket socket) {
                             self->on_accepted(error, std::move(socket));
                           });
  }

  void on_accepted(error_code error, tcp::socket socket) {
    if (stopped_ || error == asio::error::operation_aborted) return;
    if (error) {
      // For example no file descriptors left: an immediate retry would only waste CPU time.
      log::warning("cannot take a connection: {}", error.message());
      pause_.expires_after(pause_after_failure);
      pause_.async_wait([self = shared_from_this()](error_code) { self->accept(); });
      return;
    }
    const auto session = std::make_shared<Session>(std::move(socket), hub_);
    if (hub_->join(session)) session->start();
    accept();
  }

  asio::io_context& context_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::shared_ptr<Hub> hub_;
  tcp::endpoint endpoint_;
  bool stopped_ = false;
};

Result<std::unique_ptr<Server>> Server::start(asio::io_context& context, const ServerSettings& settings,
                                              Handler handler) {
  error_code error;
  const auto address = asio::ip::make_address(settings.address == "localhost" ? "127.0.0.1" : settings.address, error);
  if (error) {
    return fail(ErrorKind::usage, "[service] address '{}' is not an IP address to listen on: write 127.0.0.1 or ::1",
                settings.address);
  }
  if (!address.is_loopback() && !settings.allow_other_machines) {
    return fail(ErrorKind::usage,
                "[service] address {} can be reached by other machines, and the page has no passwords: set address = "
                "\"127.0.0.1\", or page_for_others = true",
                settings.address);
  }
  for (const std::string& name : settings.names) {
    if (!is_host_name(name))
      return fail(ErrorKind::usage, "[service] page_names: '{}' is not the name of a host, as in \"ci.example.org\"",
                  one_line(name, 80));
  }
  auto hub = std::make_shared<Hub>(settings, std::move(handler), address.is_loopback());
  auto implementation = std::make_shared<Implementation>(context, std::move(hub));
  TBCI_TRY(implementation->listen({address, settings.port}));
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

Server::Server(std::shared_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

Server::~Server() {
  stop();
}

std::uint16_t Server::port() const {
  return implementation_->endpoint().port();
}

std::string Server::url() const {
  const auto& address = implementation_->endpoint().address();
  const std::string host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  return fmt::format("http://{}:{}/", host, port());
}

void Server::stop() {
  implementation_->stop();
}

}  // namespace tbci::web::http
