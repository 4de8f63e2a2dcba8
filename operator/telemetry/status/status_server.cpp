#include "telemetry/status/status_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <thread>
#include <utility>

namespace lips {

namespace {

constexpr const char* text_format = "text/plain; charset=utf-8";
constexpr const char* metrics_format = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* json_format = "application/json";
constexpr const char* page_format = "text/html; charset=utf-8";

class HttpServer : public StatusServer {
 public:
  explicit HttpServer(ServedTexts texts) : texts_(std::move(texts)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(3); };
    server_.set_keep_alive_max_count(100);
    server_.set_socket_options([](socket_t socket) {  // not SO_REUSEPORT: a second operator on the port is an error
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_read_timeout(5);
    server_.set_write_timeout(5);
    server_.set_payload_max_length(1024);
    const auto serve = [&](const char* path, const std::function<std::string()>& text, const char* format) {
      server_.Get(path, [&text, format](const httplib::Request&, httplib::Response& response) {
        response.set_content(text(), format);
      });
    };
    const auto probe = [&](const char* path, const std::function<Health()>& health) {
      server_.Get(path, [&health](const httplib::Request&, httplib::Response& response) {
        const Health now = health();
        response.status = now.good ? 200 : 503;
        response.set_content(now.words + "\n", text_format);
      });
    };
    serve("/", texts_.page, page_format);
    serve("/metrics", texts_.metrics, metrics_format);
    probe("/healthz", texts_.alive);
    probe("/readyz", texts_.ready);
    if (!texts_.new_data) return;
    server_.Get("/new-data", [this](const httplib::Request& request, httplib::Response& response) {
      const QueryAnswer answer = texts_.new_data({request.params.begin(), request.params.end()});
      response.status = answer.status;
      response.set_content(answer.json, json_format);
    });
  }
  ~HttpServer() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool listen(const std::string& address, int port) {
    port_ = port == 0 ? server_.bind_to_any_port(address) : server_.bind_to_port(address, port) ? port : -1;
    if (port_ <= 0) return false;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    return true;
  }
  int port() const override { return port_; }

 private:
  ServedTexts texts_;
  httplib::Server server_;
  std::thread thread_;
  int port_ = -1;
};

}  // namespace

Result<std::unique_ptr<StatusServer>> StatusServer::start(const std::string& listen, ServedTexts texts) {
  const std::size_t colon = listen.rfind(':');
  int port = -1;
  if (colon != std::string::npos) {
    const char* const end = listen.data() + listen.size();
    const auto [stopped, code] = std::from_chars(listen.data() + colon + 1, end, port);
    if (code != std::errc() || stopped != end || port > 65535) port = -1;
  }
  if (port < 0)
    return fail(ErrorCode::invalid_input,
                fmt::format("server.listen: expected address:port, such as 0.0.0.0:8080, found '{}'", listen));
  std::string address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  if (address.empty()) address = "0.0.0.0";
  auto server = std::make_unique<HttpServer>(std::move(texts));
  if (!server->listen(address, port))
    return fail(ErrorCode::unavailable,
                fmt::format("server.listen: cannot listen on '{}': in use, or not an address of this machine", listen));
  return server;
}

}  // namespace lips
