// One connection of the server: reads requests, one after the other, and answers them. Internal to web/http.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "web/http/server.hpp"

namespace tbci::web::http {

class Session;

/// What the sessions of a server share. It lives until the last session has ended.
class Hub {
 public:
  Hub(ServerSettings all_settings, Handler handler, bool on_loopback)
      : settings(std::move(all_settings)),
        hosts{.names = settings.names, .any_address = !on_loopback},
        handler_(std::move(handler)) {}

  /// The handler's answer; 503 once the hub is closed.
  Reply answer(const Request& request);
  /// False if there are too many sessions already, or the hub is closed.
  bool join(const std::shared_ptr<Session>& session);
  void leave(const Session* session);
  /// Ends every session. When this returns, no handler runs, and none will run.
  void close();

  const ServerSettings settings;
  const HostRules hosts;

 private:
  std::shared_mutex gate_;  ///< shared: a handler runs. Exclusive: the hub closes
  Handler handler_;
  std::mutex mutex_;
  bool closed_ = false;
  std::map<const Session*, std::weak_ptr<Session>> sessions_;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, std::shared_ptr<Hub> hub);
  ~Session();
  void start();
  void end();  ///< soon; any thread

 private:
  void read();
  void on_read(boost::system::error_code error);
  /// What to answer to the request whose header was read; sets `keep_` to false where nothing may follow it.
  Reply reply();
  void write(Reply reply);
  void on_written(boost::system::error_code error);
  void drain();

  boost::beast::tcp_stream stream_;  ///< has a strand of its own
  std::shared_ptr<Hub> hub_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::buffer_body>> parser_;
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> response_;
  bool keep_ = true;
  std::array<char, 4096> waste_{};
  std::size_t drained_bytes_ = 0;
};

}  // namespace tbci::web::http
