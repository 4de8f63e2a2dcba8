#include "cmd/ask/api_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/connection.h"

namespace lips::cmd {

namespace {

constexpr const char* usual_service = "lips-system/lips";
constexpr const char* port = "http";  // by its name in the chart
constexpr const char* ask_elsewhere =
    "; 'kubectl get --raw' or 'kubectl proxy' may reach it (docs/cli.md, \"Asking about a running cluster\")";
constexpr int unauthorized = 401, forbidden = 403;

// The status of the last answer.
class LastStatus : public kubernetes::RequestObserver {
 public:
  void tried(const Try& ended) override { code_ = ended.http_code; }
  int code() const { return code_; }

 private:
  std::atomic<int> code_{0};
};

// A Service picks one of the operator's replicas at random, and those that stand by refuse: many quick tries.
kubernetes::ClientOptions patient(LastStatus& status) {
  kubernetes::ClientOptions options;
  options.retry.most_tries = 14;
  options.retry.first = std::chrono::milliseconds(10), options.retry.most = std::chrono::milliseconds(500);
  options.user_agent = "kubectl-lips";
  options.observer = &status;
  return options;
}

class Asking {
 public:
  explicit Asking(kubernetes::Connection connection)
      : connection_(std::move(connection)), client_(connection_, patient(status_)) {}

  Result<std::string> get(std::string path) {
    kubernetes::ApiRequest request;
    request.path = std::move(path);
    request.timeout = std::chrono::minutes(2);
    Result<std::string> answer = client_.call(request);
    if (answer || status_.code() != unauthorized ||
        answer.error().message.find("server.authorize") == std::string::npos)
      return answer;
    // The proxy passes on every header but Authorization.
    kubernetes::CredentialReader reader(connection_);
    const auto credentials = reader.read(std::chrono::steady_clock::now());
    if (!credentials || (*credentials)->token.empty())
      return fail(ErrorCode::unavailable,
                  "the operator checks tokens (server.authorize), and this user has none in the kubeconfig");
    request.headers = {"X-Lips-Authorization: Bearer " + (*credentials)->token};
    return client_.call(std::move(request));
  }
  int status() const { return status_.code(); }

 private:
  const kubernetes::Connection connection_;
  LastStatus status_;
  kubernetes::ApiClient client_;
};

// As kubectl: the option, else $KUBECONFIG, else the home's file, else the pod's service account.
Result<kubernetes::Connection> connect(const ApiPlace& place) {
  const auto from_file = [&](const std::string& file) {
    Result<kubernetes::Connection> connection = kubernetes::connection_from_kubeconfig(file, place.context);
    if (!connection) connection.error().message += ask_elsewhere;
    return connection;
  };
  if (!place.kubeconfig.empty()) return from_file(place.kubeconfig);
  if (const char* files = std::getenv("KUBECONFIG"); files && *files) {
    const std::string all(files);
    return from_file(all.substr(0, all.find(':')));
  }
  const char* home = std::getenv("HOME");
  const std::string file = std::string(home ? home : "") + "/.kube/config";
  if (std::filesystem::exists(file)) return from_file(file);
  if (auto in_cluster = kubernetes::connection_in_cluster()) return in_cluster;
  return fail(ErrorCode::invalid_input,
              "found no cluster: give --kubeconfig FILE, set KUBECONFIG, or ask a file (--from) or an address (--url)");
}

// "namespace/name" of every Service that is labelled as ours; none: they cannot be listed.
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
    return {
        ErrorCode::unavailable,
        fmt::format("you lack a right: to get services/proxy '{}:{}' in the namespace {}, which the Role {}-asker of "
                    "the chart grants\n{}",
                    name, port, name_space, name, error.message)};
  if (error.code == ErrorCode::not_found)
    return {ErrorCode::unavailable,
            fmt::format("no operator answers at the Service {}, or one that is older than this program; --service "
                        "NAMESPACE/NAME names another\n{}",
                        service, error.message)};
  error.code = ErrorCode::unavailable;
  return error;
}

}  // namespace

Result<FetchedBytes> fetch_through_api(const ApiPlace& place) {
  Result<kubernetes::Connection> connection = connect(place);
  if (!connection) return tl::unexpected(connection.error());
  const std::string name_space = connection->name_space;
  Asking api(*std::move(connection));
  const Result<std::string> service = find_service(api, place.service);
  if (!service) return tl::unexpected(service.error());
  const std::size_t slash = service->find('/');
  Result<std::string> answer = api.get(fmt::format("/api/v1/namespaces/{}/services/{}:{}/proxy/state",
                                                   service->substr(0, slash), service->substr(slash + 1), port));
  if (!answer) return tl::unexpected(explained(answer.error(), api.status(), *service));
  return FetchedBytes{*std::move(answer), name_space};
}

Result<std::string> fetch_from_url(const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return fail(ErrorCode::invalid_input, fmt::format("--url: expected http://HOST:PORT, found '{}'", url));
  kubernetes::Connection connection;
  connection.server = url;
  while (connection.server.ends_with('/')) connection.server.pop_back();
  Asking api(std::move(connection));
  Result<std::string> answer = api.get("/state");
  if (!answer) return fail(ErrorCode::unavailable, fmt::format("{}: {}", url, answer.error().message));
  return answer;
}

}  // namespace lips::cmd
