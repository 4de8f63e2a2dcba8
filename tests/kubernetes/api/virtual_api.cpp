#include "tests/kubernetes/api/virtual_api.h"

#include <fmt/format.h>

#include <optional>

#include "kubernetes/api/codec.h"
#include "virtual/api_path.h"
#include "virtual/virtual_client.h"

namespace lips::kubernetes {
namespace {

constexpr Duration way_of_request{2'000}, way_of_event{5'000};

const char* method_of(Verb verb) {
  switch (verb) {
    case Verb::get:
    case Verb::list:
    case Verb::watch:
      return "GET";
    case Verb::create:
      return "POST";
    case Verb::update:
      return "PUT";
    case Verb::patch:
      return "PATCH";
    case Verb::remove:
      return "DELETE";
  }
  return "";
}

// The path of a URL: those of other servers begin with a scheme and an address.
std::string path_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  return scheme == std::string::npos ? url : url.substr(std::min(url.find('/', scheme + 3), url.size()));
}

class FeedStream final : public ByteStream {
 public:
  FeedStream(FakeApiServer::Answering answering, EventLoop& loop, ReceivedRequest request)
      : answering_(std::move(answering)), loop_(loop), request_(std::move(request)) {
    later(way_of_request, [this] { open(); });
  }

  Result<Chunk> read(std::chrono::milliseconds) override {
    knows_ = false;
    if (closed_) return fail(ErrorCode::cancelled, "the watch was closed");
    if (!bytes_.empty()) {
      if (ended_) tell();
      return Chunk{State::data, std::exchange(bytes_, {})};
    }
    if (error_) return tl::unexpected(*error_);
    return Chunk{ended_ ? State::ended : State::silent, {}};
  }
  void when_readable(std::function<void()> told) override {
    told_ = std::make_shared<std::function<void()>>(std::move(told));
    if (!bytes_.empty() || ended_) tell();
  }
  void close() override { closed_ = true; }

 private:
  template <class Task>
  void later(Duration span, Task task) {
    loop_.at(loop_.now() + span, [life = std::weak_ptr(life_), task = std::move(task)] {
      if (!life.expired()) task();
    });
  }
  void open() {
    if (closed_) return;
    Reply reply = answering_(request_);
    if (!reply.feed) {
      if (reply.code != 200) error_ = error_of_answer(reply.code, reply.body);
      if (reply.cut) error_ = Error{ErrorCode::unavailable, "the connection was cut"};
      if (reply.code == 200) bytes_ = reply.body;
      return end();
    }
    feed_ = std::move(reply.feed);
    feed_->follow([this, life = std::weak_ptr(life_)] {
      if (!life.expired()) arrive();
    });
    arrive();
    const std::string seconds = request_.query_value("timeoutSeconds");
    if (!seconds.empty()) later(std::chrono::seconds(std::stoll(seconds)), [this] { end(); });
  }
  // Events that come together are delivered together.
  void arrive() {
    if (std::exchange(coming_, true)) return;
    later(way_of_event, [this] {
      coming_ = false;
      Feed::Taken taken = feed_->take();
      if (ended_) return;
      bytes_ += taken.bytes;
      if (taken.state == Feed::State::cut) error_ = Error{ErrorCode::unavailable, "the connection was cut"};
      if (taken.state != Feed::State::open) return end();
      if (!taken.bytes.empty()) tell();
    });
  }
  void end() {
    ended_ = true;
    tell();
  }
  void tell() {
    if (!told_ || std::exchange(knows_, true)) return;
    loop_.post([life = std::weak_ptr(life_), told = told_] {
      if (!life.expired()) (*told)();
    });
  }

  const FakeApiServer::Answering answering_;
  EventLoop& loop_;
  const ReceivedRequest request_;
  std::shared_ptr<Feed> feed_;
  std::string bytes_;
  bool coming_ = false, knows_ = false, ended_ = false, closed_ = false;
  std::optional<Error> error_;
  std::shared_ptr<std::function<void()>> told_;
  std::shared_ptr<int> life_ = std::make_shared<int>();
};

}  // namespace

ReceivedRequest received(const ApiRequest& request) {
  ReceivedRequest result;
  result.method = method_of(request.verb);
  const std::size_t query = std::min(request.path.find('?'), request.path.size());
  result.path = path_of(request.path.substr(0, query));
  result.body = request.body;
  result.content_type = request.content_type;
  if (query < request.path.size())
    for (auto& [key, value] : virtual_cluster::parse_query(std::string_view(request.path).substr(query + 1)))
      result.query.emplace(key, std::move(value));
  return result;
}

std::unique_ptr<ApiClient> connect_to(FakeApiServer::Answering answering, EventLoop& loop, ClientOptions options) {
  virtual_cluster::ServerOfClient server;
  server.handle = [answering](const ApiRequest& request) -> std::optional<virtual_cluster::ApiResponse> {
    const Reply reply = answering(received(request));
    if (reply.cut) return std::nullopt;
    return virtual_cluster::ApiResponse{reply.code, reply.body, reply.date};
  };
  server.watch = [answering, &loop](const ApiRequest& request, std::uint64_t) {
    return std::make_unique<FeedStream>(answering, loop, received(request));
  };
  return std::make_unique<virtual_cluster::VirtualClient>(std::move(server), loop, std::move(options));
}

VirtualApi::VirtualApi(FakeApiServer::Answering answering, ClientOptions options)
    : client_(connect_to(
          [this, answering = std::move(answering)](const ReceivedRequest& request) {
            requests_.push_back(request);
            return answering(request);
          },
          loop_, std::move(options))) {}

}  // namespace lips::kubernetes
