#include "cmd/ask/api_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cmd/ask/kubectl_source.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/http_client.h"

namespace lips::cmd {

namespace {

constexpr const char* usual_service = "lips-system/lips";
constexpr const char* port = "http";  // by its name in the chart
constexpr int most_tries = 14;
constexpr int unauthorized = 401, forbidden = 403, not_found = 404;

// The status of the last answer.
class LastStatus : public kubernetes::RequestObserver {
 public:
  void tried(const Try& ended) override { code_ = ended.http_code; }
  int code() const { return code_; }

 private:
  std::atomic<int> code_{0};
};

// A Service picks one of the operator's replicas at random, and those that
// stand by refuse: many quick tries.
kubernetes::ClientOptions patient(LastStatus& status) {
  kubernetes::ClientOptions options;
  options.retry.most_tries = most_tries;
  options.retry.first = std::chrono::milliseconds(10), options.retry.most = std::chrono::milliseconds(500);
  options.user_agent = "kubectl-lips";
  options.observer = &status;
  return options;
}

// Gets paths of the API server.
class Asking {
 public:
  virtual ~Asking() = default;
  virtual Result<std::string> get(std::string path) = 0;
  virtual int status() const = 0;              // of the last answer
  virtual std::string name_space() const = 0;  // of the kubeconfig's context
};

class AskingDirectly : public Asking {
 public:
  explicit AskingDirectly(kubernetes::Connection connection, std::vector<std::string> headers = {})
      : connection_(std::move(connection)), headers_(std::move(headers)), client_(connection_, patient(status_)) {}

  Result<std::string> get(std::string path) override {
    kubernetes::ApiRequest request;
    request.path = std::move(path);
    request.headers = headers_;
    request.timeout = std::chrono::minutes(2);
    Result<std::string> answer = client_.call(request);
    if (answer || status_.code() != unauthorized ||
        answer.error().message.find("server.authorize") == std::string::npos)
      return answer;
    // The proxy passes on every header but Authorization.
    kubernetes::CredentialReader reader(connection_);
    const auto credentials = reader.read(std::chrono::steady_clock::now());
    if (!credentials || (*credentials)->token.empty())
      return fail(
          ErrorCode::unavailable,
          "the operator checks tokens (server.authorize), and there is none: --token-file names one for --url, else "
          "the user of the kubeconfig needs one");
    request.headers.push_back("X-Lips-Authorization: Bearer " + (*credentials)->token);
    return client_.call(std::move(request));
  }
  int status() const override { return status_.code(); }
  std::string name_space() const override { return connection_.name_space; }

 private:
  const kubernetes::Connection connection_;
  const std::vector<std::string> headers_;
  LastStatus status_;
  kubernetes::HttpClient client_;
};

class AskingByKubectl : public Asking {
 public:
  explicit AskingByKubectl(const ApiPlace& place) {
    if (!place.kubeconfig.empty()) options_.insert(options_.end(), {"--kubeconfig", place.kubeconfig});
    if (!place.context.empty()) options_.insert(options_.end(), {"--context", place.context});
  }

  Result<std::string> get(std::string path) override {
    for (int tries = 1;; ++tries) {
      Result<std::string> answer = run({"get", "--raw", path});
      const auto says = [&](const char* words) { return answer.error().message.find(words) != std::string::npos; };
      status_ = answer ? 200 : says("(Forbidden)") ? forbidden : says("(NotFound)") ? not_found : 0;
      if (!answer && says("(NotFound)")) answer.error().code = ErrorCode::not_found;
      if (answer || !says("(ServiceUnavailable)") || tries == most_tries) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  int status() const override { return status_; }
  std::string name_space() const override {
    const Result<std::string> said = run({"config", "view", "--minify", "--output", "jsonpath={..namespace}"});
    return said && !said->empty() ? *said : "default";
  }

 private:
  Result<std::string> run(std::vector<std::string> words) const {
    words.insert(words.end(), options_.begin(), options_.end());
    return run_kubectl(std::move(words));
  }

  std::vector<std::string> options_;
  int status_ = 0;
};

// An error of a user whose credentials come from another program, of a proxy and the
// like, only kubectl knows how.
bool is_for_kubectl(const Error& error) {
  return error.message.find(" is not supported; allowed: ") != std::string::npos;
}

Result<std::unique_ptr<Asking>> asking_by_file(const std::string& file, const ApiPlace& place) {
  Result<kubernetes::Connection> connection = kubernetes::connection_from_kubeconfig(file, place.context);
  if (connection) return std::make_unique<AskingDirectly>(*std::move(connection));
  if (is_for_kubectl(connection.error())) return std::make_unique<AskingByKubectl>(place);
  return tl::unexpected(connection.error());
}

// As kubectl: the option, else $KUBECONFIG, else the home's file, else the
// pod's service account.
Result<std::unique_ptr<Asking>> asking(const ApiPlace& place) {
  if (!place.kubeconfig.empty()) return asking_by_file(place.kubeconfig, place);
  if (const char* files = std::getenv("KUBECONFIG"); files && *files) {
    const std::string all(files);
    if (all.find(':') != std::string::npos) return std::make_unique<AskingByKubectl>(place);  // it merges them
    return asking_by_file(all, place);
  }
  const char* home = std::getenv("HOME");
  const std::string file = std::string(home ? home : "") + "/.kube/config";
  if (std::filesystem::exists(file)) return asking_by_file(file, place);
  if (auto in_cluster = kubernetes::connection_in_cluster()) return std::make_unique<AskingDirectly>(*in_cluster);
  return fail(ErrorCode::invalid_input,
              "found no cluster: give --kubeconfig FILE, set KUBECONFIG, or "
              "ask a file (--from) or an address (--url)");
}

// "namespace/name" of every Service that is labelled as ours; none: they cannot
// be listed.
std::optional<std::vector<std::string>> labelled_services(Asking& api) {
  const Result<std::string> answer = api.get("/api/v1/services?labelSelector=app.kubernetes.io%2Fname%3Dlips");
  if (!answer) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(*answer, nullptr, false);
  std::vector<std::string> found;
  if (!json.is_object() || !json.contains("items") || !json["items"].is_array()) return std::nullopt;
  for (const auto& item : json["items"])
    if (item.is_object() && item.contains("metadata") && item["metadata"].is_object())
      found.push_back(item["metadata"].value("namespace", "") + "/" + item["metadata"].value("name", ""));
  return found;
}

Result<std::string> find_service(Asking& api, const std::string& given) {
  std::string service = given;
  if (const char* set = std::getenv("LIPS_SERVICE"); service.empty() && set) service = set;
  if (!service.empty()) {
    if (std::count(service.begin(), service.end(), '/') == 1) return service;
    return fail(ErrorCode::invalid_input, fmt::format("--service: expected NAMESPACE/NAME, found '{}'", service));
  }
  const auto found = labelled_services(api);
  if (!found || found->empty()) return usual_service;
  if (found->size() == 1) return found->front();
  std::string all;
  for (const std::string& one : *found) all += (all.empty() ? "" : ", ") + one;
  return fail(ErrorCode::invalid_input, fmt::format("--service: expected one of {}; found none", all));
}

// Says which right is missing, or what does not answer.
Error explained(Error error, int status, const std::string& service) {
  const std::string name_space = service.substr(0, service.find('/')), name = service.substr(service.find('/') + 1);
  if (status == forbidden && error.message.find("server.authorize") == std::string::npos)
    return {ErrorCode::unavailable, fmt::format("you lack a right: to get services/proxy '{}:{}' in "
                                                "the namespace {}, which the Role {}-asker of "
                                                "the chart grants\n{}",
                                                name, port, name_space, name, error.message)};
  if (error.code == ErrorCode::not_found)
    return {ErrorCode::unavailable, fmt::format("no operator answers at the Service {}, or one that is "
                                                "older than this program; --service "
                                                "NAMESPACE/NAME names another\n{}",
                                                service, error.message)};
  error.code = ErrorCode::unavailable;
  return error;
}

}  // namespace

Result<FetchedBytes> fetch_through_api(const ApiPlace& place, const std::string& path) {
  const Result<std::unique_ptr<Asking>> api = asking(place);
  if (!api) return tl::unexpected(api.error());
  const Result<std::string> service = find_service(**api, place.service);
  if (!service) return tl::unexpected(service.error());
  const std::size_t slash = service->find('/');
  Result<std::string> answer =
      (*api)->get(fmt::format("/api/v1/namespaces/{}/services/{}:{}/proxy/{}", service->substr(0, slash),
                              service->substr(slash + 1), port, path));
  if (!answer) return tl::unexpected(explained(answer.error(), (*api)->status(), *service));
  return FetchedBytes{*std::move(answer), (*api)->name_space()};
}

Result<std::string> fetch_from_url(const std::string& url, const std::string& token_file, const std::string& path) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return fail(ErrorCode::invalid_input, fmt::format("--url: expected http://HOST:PORT, found '{}'", url));
  kubernetes::Connection connection;
  connection.server = url;
  connection.token.file = token_file;
  while (connection.server.ends_with('/')) connection.server.pop_back();
  // A Service picks a replica for each connection, not for each request.
  AskingDirectly api(std::move(connection), {"Connection: close"});
  Result<std::string> answer = api.get("/" + path);
  if (answer) return answer;
  if (answer.error().code == ErrorCode::not_found)
    return fail(ErrorCode::unavailable,
                fmt::format("{}: the operator there is older than this program: it does not serve /{}", url, path));
  return fail(ErrorCode::unavailable, fmt::format("{}: {}", url, answer.error().message));
}

}  // namespace lips::cmd
