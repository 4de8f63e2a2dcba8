#include <curl/curl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <deque>
#include <utility>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/connection.h"
#include "tests/virtual/conformance/kind.h"
#include "tests/virtual/conformance/server_under_test.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::chrono::seconds longest_silence{8};

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

// One request to the server, with what it has answered so far.
class Exchange {
 public:
  Exchange(const std::string& server, const kubernetes::Credentials& credentials) : easy_(curl_easy_init()) {
    curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
    curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy_, CURLOPT_USERAGENT, "lips-conformance");
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, &answer_);
    server_ = server;
    authorization_ = credentials.token.empty() ? "" : "Authorization: Bearer " + credentials.token;
    give(CURLOPT_CAINFO_BLOB, credentials.authority);
    give(CURLOPT_SSLCERT_BLOB, credentials.certificate);
    give(CURLOPT_SSLKEY_BLOB, credentials.key);
  }
  ~Exchange() {
    curl_easy_cleanup(easy_);
    curl_slist_free_all(headers_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void prepare(const Asked& asked) {
    answer_.clear();
    body_ = asked.body;
    curl_slist_free_all(std::exchange(headers_, nullptr));
    for (const std::string& header : {authorization_, std::string("Accept: application/json"),
                                      "Content-Type: " + asked.content_type, std::string("Expect:")})
      if (!header.empty()) headers_ = curl_slist_append(headers_, header.c_str());
    curl_easy_setopt(easy_, CURLOPT_URL, (server_ + asked.path).c_str());
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
    if (body_.empty() && asked.method != "POST")
      curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
    else
      curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body_.c_str());
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, asked.method.c_str());
  }
  Replied perform(const Asked& asked) {
    prepare(asked);
    const CURLcode result = curl_easy_perform(easy_);
    EXPECT_EQ(result, CURLE_OK) << asked.method << ' ' << asked.path << ": " << curl_easy_strerror(result);
    Json body = Json::parse(answer_, nullptr, false);
    return {code(), body.is_discarded() ? Json() : std::move(body)};
  }
  int code() {
    long code = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }
  CURL* easy() { return easy_; }
  std::string& answer() { return answer_; }

 private:
  void give(CURLoption option, const std::string& text) {
    curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
    if (!text.empty()) curl_easy_setopt(easy_, option, &blob);
  }

  CURL* easy_;
  curl_slist* headers_ = nullptr;
  std::string server_, authorization_, body_, answer_;
};

class RealWatching final : public ServerUnderTest::Watching {
 public:
  RealWatching(std::unique_ptr<Exchange> exchange, const std::string& path) : exchange_(std::move(exchange)) {
    exchange_->prepare({"GET", path, "", ""});
    curl_multi_add_handle(multi_, exchange_->easy());
    code();
  }
  ~RealWatching() override {
    curl_multi_remove_handle(multi_, exchange_->easy());
    curl_multi_cleanup(multi_);
  }
  RealWatching(const RealWatching&) = delete;
  RealWatching& operator=(const RealWatching&) = delete;

  std::vector<Json> events(std::size_t count) override {
    wait([&] { return events_.size() >= count; });
    std::vector<Json> result;
    for (; result.size() < count && !events_.empty(); events_.pop_front()) result.push_back(events_.front());
    return result;
  }
  Json bookmark() override {
    wait([&] { return !bookmarks_.empty(); });
    if (bookmarks_.empty()) return Json();
    Json first = bookmarks_.front();
    bookmarks_.pop_front();
    return first;
  }
  int code() override {
    wait([&] { return exchange_->code() != 0; });
    return exchange_->code();
  }

 private:
  template <class Done>
  void wait(Done done) {
    const auto end = std::chrono::steady_clock::now() + longest_silence;
    int running = 1;
    while (!done() && running > 0 && std::chrono::steady_clock::now() < end) {
      curl_multi_perform(multi_, &running);
      take_lines();
      if (!done() && running > 0) curl_multi_poll(multi_, nullptr, 0, 100, nullptr);
    }
  }
  void take_lines() {
    std::string& bytes = exchange_->answer();
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string::npos; bytes.erase(0, end + 1)) {
      Json event = Json::parse(bytes.substr(0, end), nullptr, false);
      if (event.is_discarded()) continue;
      (event.value("type", "") == "BOOKMARK" ? bookmarks_ : events_).push_back(std::move(event));
    }
  }

  std::unique_ptr<Exchange> exchange_;
  CURLM* multi_ = curl_multi_init();
  std::deque<Json> events_, bookmarks_;
};

class RealSide final : public ServerUnderTest {
 public:
  RealSide(std::string server, kubernetes::Credentials credentials)
      : server_(std::move(server)), credentials_(std::move(credentials)), exchange_(server_, credentials_) {}

  // A server that still opens the store of a new kind says so.
  Replied ask(const Asked& asked) override {
    Replied reply = exchange_.perform(asked);
    for (int tries = 0; reply.code == 429 && tries < 40; ++tries) {
      usleep(250'000);
      reply = exchange_.perform(asked);
    }
    return reply;
  }
  std::unique_ptr<Watching> watch(const std::string& path) override {
    return std::make_unique<RealWatching>(std::make_unique<Exchange>(server_, credentials_), path);
  }
  // Pods need the service account that a controller would make.
  std::string new_name_space() override {
    static int made = 0;
    const std::string name = "conformance-" + std::to_string(getpid()) + '-' + std::to_string(++made);
    make("/api/v1/namespaces", name);
    make("/api/v1/namespaces/" + name + "/serviceaccounts", "default");
    return name;
  }
  std::int64_t now() const override { return std::time(nullptr); }
  void forget() override {}

 private:
  void make(const std::string& path, const std::string& name) {
    const Replied reply = ask({"POST", path, Json{{"metadata", {{"name", name}}}}.dump(), kubernetes::json_content});
    EXPECT_EQ(reply.code, 201) << reply.body;
  }

  const std::string server_;
  const kubernetes::Credentials credentials_;
  Exchange exchange_;
};

}  // namespace

std::unique_ptr<ServerUnderTest> real_server(const std::string& kubeconfig) {
  const auto connection = kubernetes::connection_from_kubeconfig(kubeconfig);
  if (!connection) {
    ADD_FAILURE() << connection.error().message;
    return nullptr;
  }
  kubernetes::CredentialReader reader(*connection);
  const auto credentials = reader.read(std::chrono::steady_clock::now());
  if (!credentials) {
    ADD_FAILURE() << credentials.error().message;
    return nullptr;
  }
  return std::make_unique<RealSide>(connection->server, **credentials);
}

}  // namespace lips::virtual_cluster
