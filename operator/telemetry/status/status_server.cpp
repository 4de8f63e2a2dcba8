#include "telemetry/status/status_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "telemetry/status/listen_address.h"

namespace lips {

namespace {

constexpr const char* text_format = "text/plain; charset=utf-8";
constexpr const char* metrics_format = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* json_format = "application/json";
constexpr const char* gzip_format = "application/gzip";
constexpr const char* page_format = "text/html; charset=utf-8";

constexpr const char* security_header = "Content-Security-Policy";
constexpr const char* security_policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr std::size_t threads_at_once = 8;
constexpr int bad_request = 400, unauthorized = 401, forbidden = 403, no_ranges = 416, unavailable = 503;

using HandlerResponse = httplib::Server::HandlerResponse;

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80         ? 1
                               : first >> 5 == 0x06 ? 2
                               : first >> 4 == 0x0e ? 3
                               : first >> 3 == 0x1e ? 4
                                                    : 0;
    if (length == 0 || at + length > text.size()) return false;
    std::uint32_t code = length == 1 ? first : first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if (next >> 6 != 0x02) return false;
      code = code << 6 | (next & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    at += length;
  }
  return true;
}

// Lets one script of one answer run.
std::string fresh_nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

class HttpServer : public StatusServer {
 public:
  explicit HttpServer(ServedTexts texts) : texts_(std::move(texts)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(threads_at_once); };
    server_.set_keep_alive_max_count(100);
    server_.set_socket_options([](socket_t socket) {  // not SO_REUSEPORT: a second operator on the port is an error
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_read_timeout(5);
    server_.set_write_timeout(5);
    server_.set_payload_max_length(1024);
    server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                 {security_header, security_policy},
                                 {"X-Frame-Options", "DENY"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cache-Control", "no-store"}});
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const int refusal = refusal_of(request);
      if (refusal == 0) return HandlerResponse::Unhandled;
      response.status = refusal;
      if (refusal == unauthorized) {
        response.set_header("WWW-Authenticate", "Bearer");
        response.set_content("the operator wants a bearer token (server.authorize)\n", text_format);
      } else if (refusal == forbidden) {
        response.set_content("server.authorize: the owner of the token may not get " + request.path + "\n",
                             text_format);
      }
      return HandlerResponse::Handled;
    });
    const auto probe = [&](const char* path, const std::function<Health()>& health) {
      server_.Get(path, [&health](const httplib::Request&, httplib::Response& response) {
        const Health now = health();
        response.status = now.good ? 200 : 503;
        response.set_content(now.words + "\n", text_format);
      });
    };
    server_.Get("/", [this](const httplib::Request& request, httplib::Response& response) {
      const std::string job = request.get_param_value("job");
      if (!is_utf8(job)) {
        response.status = bad_request;
        return response.set_content("the question is not UTF-8\n", text_format);
      }
      const PageQuestion question{request.has_param("still"), job, fresh_nonce()};
      response.headers.erase(security_header);  // two of them would both hold
      response.set_header(security_header, fmt::format("{}; script-src 'nonce-{}'; connect-src 'self'", security_policy,
                                                       question.nonce));
      response.set_content(texts_.page(question), page_format);
    });
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(texts_.metrics(), metrics_format);
    });
    if (texts_.alive) probe("/healthz", texts_.alive);
    if (texts_.ready) probe("/readyz", texts_.ready);
    if (texts_.state)
      server_.Get("/state", [this](const httplib::Request&, httplib::Response& response) {
        StateAnswer answer = texts_.state();
        response.status = answer.status;
        response.set_content(std::move(answer.content), answer.status == 200 ? gzip_format : text_format);
      });
    if (texts_.status)
      server_.Get("/status", [this](const httplib::Request&, httplib::Response& response) {
        response.set_content(texts_.status(), json_format);
      });
    if (!texts_.new_data) return;
    server_.Get("/new-data", [this](const httplib::Request& request, httplib::Response& response) {
      for (const auto& [key, value] : request.params)
        if (!is_utf8(key) || !is_utf8(value)) {
          response.status = bad_request;
          return response.set_content("{\"error\":\"the question is not UTF-8\"}\n", json_format);
        }
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
  // The status of a refusal; 0: answer it. Refuses ranges: an answer to many small ones is far larger than their
  // content.
  int refusal_of(const httplib::Request& request) const {
    if (request.has_header("Range")) return no_ranges;
    if (!texts_.admit) return 0;
    constexpr std::string_view scheme = "Bearer ";
    // The API server's proxy to services takes the header Authorization away.
    std::string sent = request.get_header_value("Authorization");
    if (sent.empty()) sent = request.get_header_value("X-Lips-Authorization");
    switch (texts_.admit(sent.starts_with(scheme) ? sent.substr(scheme.size()) : "", request.path)) {
      case Admission::allowed:
        return 0;
      case Admission::unknown:
        return unauthorized;
      case Admission::forbidden:
        return forbidden;
      case Admission::unavailable:
        break;
    }
    return unavailable;
  }

  ServedTexts texts_;
  httplib::Server server_;
  std::thread thread_;
  int port_ = -1;
};

}  // namespace

Result<std::unique_ptr<StatusServer>> StatusServer::start(const std::string& listen, ServedTexts texts) {
  const Result<ListenAddress> address = parse_listen_address("server.listen", listen);
  if (!address) return tl::unexpected(address.error());
  auto server = std::make_unique<HttpServer>(std::move(texts));
  if (!server->listen(address->host, address->port))
    return fail(ErrorCode::unavailable,
                fmt::format("server.listen: cannot listen on '{}': in use, or not an address of this machine", listen));
  return server;
}

}  // namespace lips
