#include "tests/kubernetes/api/virtual_api.h"

#include <fmt/format.h>

#include <optional>

#include "kubernetes/api/codec.h"
#include "virtual/api_path.h"
#include "virtual/loop_stream.h"
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

class FeedStream final : public virtual_cluster::LoopStream {
 public:
  FeedStream(FakeApiServer::Answering answering, EventLoop& loop, ReceivedRequest request)
      : LoopStream(loop), answering_(std::move(answering)), request_(std::move(request)) {
    later(way_of_request, [this] { open(); });
  }

 private:
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
    feed_->follow(alive([this] { arrive(); }));
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

  const FakeApiServer::Answering answering_;
  const ReceivedRequest request_;
  std::shared_ptr<Feed> feed_;
  bool coming_ = false;
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
