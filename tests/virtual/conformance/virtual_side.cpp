#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/virtual/conformance/kind.h"
#include "tests/virtual/conformance/server_under_test.h"
#include "virtual/api_server.h"
#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* all_name_spaces = "/api/v1/namespaces";

class VirtualWatching final : public ServerUnderTest::Watching {
 public:
  VirtualWatching(ApiServer& server, const std::string& path) : server_(server), path_(path) {
    watch_ = server_.watch(path, [this](const std::string& line) { lines_.push_back(line); });
    lines_.insert(lines_.begin(), watch_.lines.begin(), watch_.lines.end());
  }
  ~VirtualWatching() override { server_.stop(watch_); }
  VirtualWatching(const VirtualWatching&) = delete;
  VirtualWatching& operator=(const VirtualWatching&) = delete;

  std::vector<Json> events(std::size_t count) override {
    std::vector<Json> result;
    for (; result.size() < count && told_ < lines_.size(); ++told_) result.push_back(Json::parse(lines_[told_]));
    return result;
  }
  Json bookmark() override { return Json::parse(server_.bookmark(watch_)); }
  int code() override { return watch_.code; }

 private:
  ApiServer& server_;
  const std::string path_;
  ApiServer::Watch watch_;
  std::vector<std::string> lines_;
  std::size_t told_ = 0;
};

class VirtualSide final : public ServerUnderTest {
 public:
  VirtualSide() {
    for (const Kind& kind : kinds()) server_.serve(std::string(kind.root) + '/' + kind.plural);
    server_.serve(all_name_spaces);
  }

  Replied ask(const Asked& asked) override {
    using enum kubernetes::Verb;
    static const std::map<std::string, kubernetes::Verb> verbs{
        {"GET", get}, {"POST", create}, {"PUT", update}, {"PATCH", patch}, {"DELETE", remove}};
    kubernetes::ApiRequest request;
    request.verb = verbs.at(asked.method);
    request.path = asked.path;
    request.body = asked.body;
    request.content_type = asked.content_type;
    const ApiResponse response = server_.handle(request);
    Json body = Json::parse(response.body, nullptr, false);
    return {response.code, body.is_discarded() ? Json() : std::move(body)};
  }
  std::unique_ptr<Watching> watch(const std::string& path) override {
    return std::make_unique<VirtualWatching>(server_, path);
  }
  std::string new_name_space() override {
    const std::string name = "conformance-" + std::to_string(++name_spaces_);
    EXPECT_EQ(
        ask({"POST", all_name_spaces, Json{{"metadata", {{"name", name}}}}.dump(), kubernetes::json_content}).code,
        201);
    return name;
  }
  std::int64_t now() const override {
    return std::chrono::duration_cast<std::chrono::seconds>(loop_.now().time_since_epoch()).count();
  }
  void forget() override { server_.objects().compact(); }

 private:
  VirtualLoop loop_{TimePoint(std::chrono::hours(24 * 365))};
  ApiServer server_{loop_, 1};
  int name_spaces_ = 0;
};

}  // namespace

std::unique_ptr<ServerUnderTest> virtual_server() { return std::make_unique<VirtualSide>(); }

}  // namespace lips::virtual_cluster
