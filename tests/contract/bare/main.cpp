// Binds all pods of a namespace to all nodes in turn, as fast as it can:
//   bare_bind KUBECONFIG NAMESPACE CONNECTIONS
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kubernetes/api/http_client.h"
#include "tests/contract/bare/bare_loop.h"

namespace {

using namespace lips::kubernetes;
using Json = nlohmann::json;

Json items(ApiClient& client, const std::string& path) {
  ApiRequest request;
  request.verb = Verb::list;
  request.path = path;
  const Answer answer = client.call(request);
  if (answer) return Json::parse(*answer)["items"];
  std::fprintf(stderr, "%s\n", answer.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return std::fprintf(stderr, "usage: bare_bind KUBECONFIG NAMESPACE CONNECTIONS\n"), 2;
  const auto connection = connection_from_kubeconfig(arguments[1]);
  if (!connection) return std::fprintf(stderr, "%s\n", connection.error().message.c_str()), 1;
  HttpClient client(*connection, ClientOptions{});
  const Json nodes = items(client, "/api/v1/nodes");
  const Json pods = items(client, std::string("/api/v1/namespaces/") + arguments[2] + "/pods");
  std::vector<BareBinding> bindings;
  for (const Json& pod : pods)
    bindings.push_back({pod["metadata"]["name"], pod["metadata"]["uid"],
                        nodes[bindings.size() % nodes.size()]["metadata"]["name"].get<std::string>()});
  const std::size_t bound = bind_bare(*connection, arguments[2], bindings, std::atoi(arguments[3]));
  std::printf("%zu of %zu pods bound\n", bound, bindings.size());
  return bound == bindings.size() ? 0 : 1;
}
