#include "telemetry/status/health_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "telemetry/status/listen_address.h"

namespace lips {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t visitors_at_once = 256;  // the oldest connection closes when another arrives
constexpr std::size_t longest_request = 4096;
constexpr std::chrono::seconds longest_visit{3};

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

struct Visitor {
  Descriptor socket;
  Clock::time_point until;
  std::string request, answer;
  bool over = false;
};

Descriptor listening_socket(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) return Descriptor();
  Descriptor result;
  for (const addrinfo* each = found; each && result.get() < 0; each = each->ai_next) {
    Descriptor socket(::socket(each->ai_family, each->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, each->ai_protocol));
    const int yes = 1;
    if (socket.get() < 0) continue;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(socket.get(), each->ai_addr, each->ai_addrlen) == 0 && listen(socket.get(), SOMAXCONN) == 0)
      result = std::move(socket);
  }
  freeaddrinfo(found);
  return result;
}

int port_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  std::array<char, NI_MAXSERV> port{};
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), length, nullptr, 0, port.data(), port.size(),
                  NI_NUMERICSERV) != 0)
    return -1;
  return std::atoi(port.data());
}

std::string response(int status, const char* meaning, const std::string& words) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nX-Content-Type-Options: "
      "nosniff\r\nConnection: close\r\n\r\n{}\n",
      status, meaning, words.size() + 1, words);
}

class PollingServer : public HealthServer {
 public:
  PollingServer(HealthQuestions questions, Descriptor listener)
      : questions_(std::move(questions)),
        listener_(std::move(listener)),
        port_(port_of(listener_)),
        wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}
  ~PollingServer() override {
    thread_.request_stop();
    const std::uint64_t one = 1;
    if (write(wake_.get(), &one, sizeof one) < 0) return;  // it will check by itself soon
  }
  int port() const override { return port_; }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> watched{{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      for (const Visitor& visitor : visitors_)
        watched.push_back({visitor.socket.get(), static_cast<short>(visitor.answer.empty() ? POLLIN : POLLOUT), 0});
      constexpr int look_every = 500;  // milliseconds
      if (poll(watched.data(), watched.size(), look_every) < 0 && errno != EINTR) return;
      for (std::size_t i = 0; i < visitors_.size(); ++i)
        if (watched[i + 2].revents != 0) serve(visitors_[i]);
      const auto now = Clock::now();
      std::erase_if(visitors_, [now](const Visitor& visitor) { return visitor.over || now >= visitor.until; });
      if (watched[0].revents != 0) let_in(now);
    }
  }

  void let_in(Clock::time_point now) {
    for (;;) {
      Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        // Out of descriptors: make room for waiting connections.
        if ((errno == EMFILE || errno == ENFILE) && !visitors_.empty()) visitors_.pop_front();
        return;
      }
      if (visitors_.size() >= visitors_at_once) visitors_.pop_front();
      visitors_.push_back({std::move(socket), now + longest_visit, {}, {}, false});
      serve(visitors_.back());  // most send their request with the connection
    }
  }

  void serve(Visitor& visitor) {
    if (visitor.answer.empty()) read_from(visitor);
    if (visitor.over || visitor.answer.empty()) return;
    const ssize_t sent = send(visitor.socket.get(), visitor.answer.data(), visitor.answer.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    visitor.over = sent < 0 || static_cast<std::size_t>(sent) == visitor.answer.size();
    if (!visitor.over) visitor.answer.erase(0, static_cast<std::size_t>(sent));
  }

  void read_from(Visitor& visitor) {
    std::array<char, longest_request> part{};
    const ssize_t count = recv(visitor.socket.get(), part.data(), part.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      visitor.over = true;
      return;
    }
    visitor.request.append(part.data(), static_cast<std::size_t>(count));
    if (visitor.request.find("\r\n\r\n") != std::string::npos)
      visitor.answer = answer_to(visitor.request);
    else if (visitor.request.size() >= longest_request)
      visitor.answer = response(431, "Request Header Fields Too Large", "the request is too long");
  }

  std::string answer_to(const std::string& request) const {
    const std::size_t first = request.find(' '), second = request.find_first_of(" \r", first + 1);
    if (request.substr(0, first) != "GET") return response(405, "Method Not Allowed", "GET alone");
    std::string path = request.substr(first + 1, second - first - 1);
    path.resize(std::min(path.find('?'), path.size()));
    if (path != "/healthz" && path != "/readyz") return response(404, "Not Found", "/healthz or /readyz");
    const Health now = path == "/healthz" ? questions_.alive() : questions_.ready();
    return response(now.good ? 200 : 503, now.good ? "OK" : "Service Unavailable", now.words);
  }

  const HealthQuestions questions_;
  const Descriptor listener_;
  const int port_;
  const Descriptor wake_;
  std::deque<Visitor> visitors_;  // in order of arrival
  std::jthread thread_;           // last: it uses the others
};

}  // namespace

Result<std::unique_ptr<HealthServer>> HealthServer::start(const std::string& listen, HealthQuestions questions) {
  const Result<ListenAddress> address = parse_listen_address("server.health", listen);
  if (!address) return tl::unexpected(address.error());
  Descriptor socket = listening_socket(*address);
  if (socket.get() < 0)
    return fail(ErrorCode::unavailable,
                fmt::format("server.health: cannot listen on '{}': in use, or not an address of this machine", listen));
  return std::make_unique<PollingServer>(std::move(questions), std::move(socket));
}

}  // namespace lips
