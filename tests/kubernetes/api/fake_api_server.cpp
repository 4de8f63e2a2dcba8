#include "tests/kubernetes/api/fake_api_server.h"

#include <fmt/chrono.h>
#include <httplib.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "kubernetes/api/client_options.h"
#include "tests/kubernetes/api/first_request.h"

namespace lips::kubernetes {

void Feed::change(const std::function<void()>& change) {
  {
    const std::lock_guard lock(mutex_);
    change();
  }
  changed_.notify_all();
  if (told_) told_();
}

void Feed::push(const std::string& bytes) {
  change([&] { bytes_ += bytes; });
}

void Feed::finish() {
  change([&] { state_ = state_ == State::open ? State::finished : state_; });
}

void Feed::cut() {
  change([&] { state_ = State::cut; });
}

Feed::Taken Feed::take() {
  const std::lock_guard lock(mutex_);
  return {std::exchange(bytes_, {}), state_};
}

std::string ReceivedRequest::query_value(const std::string& key) const {
  const auto place = query.find(key);
  return place == query.end() ? "" : place->second;
}

struct FakeApiServer::Server {
  Answering answering;
  httplib::Server http;
  int port = 0;
  std::thread thread;
  mutable std::mutex mutex;
  std::vector<ReceivedRequest> requests;
  std::vector<std::shared_ptr<Feed>> feeds;
  bool ending = false;

  void answer(const httplib::Request& request, httplib::Response& response);
  void answer_with_feed(std::shared_ptr<Feed> feed, httplib::Response& response);
};

void FakeApiServer::Server::answer_with_feed(std::shared_ptr<Feed> feed, httplib::Response& response) {
  {
    const std::lock_guard lock(mutex);
    feeds.push_back(feed);
    if (ending) feed->cut();
  }
  response.set_chunked_content_provider("application/json", [feed](std::size_t, httplib::DataSink& sink) {
    std::string bytes;
    Feed::State state;
    {
      std::unique_lock lock(feed->mutex_);
      feed->changed_.wait(lock, [&] { return !feed->bytes_.empty() || feed->state_ != Feed::State::open; });
      bytes.swap(feed->bytes_);
      state = feed->state_;
    }
    if (!bytes.empty() && !sink.write(bytes.data(), bytes.size())) return false;
    if (state == Feed::State::finished) sink.done();
    return state != Feed::State::cut;
  });
}

void FakeApiServer::Server::answer(const httplib::Request& request, httplib::Response& response) {
  ReceivedRequest received{request.method,
                           request.path,
                           request.body,
                           request.get_header_value("Authorization"),
                           request.get_header_value("Content-Type"),
                           request.get_header_value("User-Agent"),
                           request.get_header_value("Accept-Encoding"),
                           request.params};
  {
    const std::lock_guard lock(mutex);
    requests.push_back(received);
  }
  Reply reply = answering(received);
  response.status = reply.code;
  if (reply.retry_after) response.set_header("Retry-After", std::to_string(*reply.retry_after));
  if (reply.date)
    response.set_header("Date",
                        fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                                    fmt::gmtime(std::chrono::system_clock::to_time_t(
                                        std::chrono::system_clock::time_point(reply.date->time_since_epoch())))));
  if (reply.feed) return answer_with_feed(reply.feed, response);
  if (!reply.cut) return response.set_content(reply.body, "application/json");
  response.set_content_provider(reply.body.size() + 1000, "application/json",
                                [body = reply.body](std::size_t, std::size_t, httplib::DataSink& sink) {
                                  sink.write(body.data(), body.size());
                                  return false;
                                });
}

FakeApiServer::FakeApiServer(Answering answering) : server_(std::make_unique<Server>()) {
  answer_first_request();
  Server& server = *server_;
  server.answering = std::move(answering);
  server.http.set_tcp_nodelay(true);
  server.http.new_task_queue = [] { return new httplib::ThreadPool(160); };
  const auto handler = [&server](const httplib::Request& request, httplib::Response& response) {
    server.answer(request, response);
  };
  constexpr const char* first = "/is-anybody-there";
  server.http.Get(first, [](const httplib::Request&, httplib::Response&) {});
  server.http.Get(".*", handler).Post(".*", handler).Put(".*", handler).Patch(".*", handler).Delete(".*", handler);
  server.port = server.http.bind_to_any_port("127.0.0.1");
  server.thread = std::thread([&server] { server.http.listen_after_bind(); });
  httplib::Client("127.0.0.1", server.port).Get(first);  // stop() ends only a server that runs
}

FakeApiServer::~FakeApiServer() {
  {
    const std::lock_guard lock(server_->mutex);
    server_->ending = true;
    for (const auto& feed : server_->feeds) feed->cut();
  }
  server_->http.stop();
  server_->thread.join();
}

Connection FakeApiServer::connection() const {
  Connection connection;
  connection.server = "http://127.0.0.1:" + std::to_string(server_->port);
  connection.token.text = "secret";
  return connection;
}

std::vector<ReceivedRequest> FakeApiServer::requests() const {
  const std::lock_guard lock(server_->mutex);
  return server_->requests;
}

ClientOptions quick_client(std::uint64_t seed) {
  ClientOptions options;
  options.seed = seed;
  options.retry.first = std::chrono::milliseconds(1);
  options.retry.most = std::chrono::milliseconds(4);
  return options;
}

}  // namespace lips::kubernetes
