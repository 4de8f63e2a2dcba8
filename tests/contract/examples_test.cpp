// The manifests of examples/ as a real API server takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "kubernetes/api/http_client.h"
#include "kubernetes/data/resources.h"
#include "tests/contract/control_plane.h"
#include "tests/kubernetes/data/example_objects.h"

namespace lips::kubernetes {
namespace {

std::string collection_of(const ExampleObject& object) {
  static const std::map<std::string, std::string> ours = {{"Job", "/apis/batch/v1/namespaces/default/jobs"},
                                                          {"Secret", "/api/v1/namespaces/default/secrets"}};
  for (const DataKind kind : data_kinds)
    if (object.kind() == kind_name(kind))
      return resource_path(kind, {kind == DataKind::data_set ? "default" : "", "", "", ""});
  const auto found = ours.find(object.kind());
  return found == ours.end() ? "" : found->second;
}

TEST(ExampleManifests, AreTakenByTheServer) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), {});
  install_custom_resources(client);
  std::size_t taken = 0;
  for (ExampleObject object : example_objects()) {
    const std::string path = collection_of(object);
    if (path.empty()) continue;  // kind's and Helm's own files
    if (object.kind() == "Secret") object.json["metadata"]["namespace"] = "default";
    const Answer answer = client.call(creation(path + "?dryRun=All&fieldValidation=Strict", object.json.dump()));
    EXPECT_TRUE(answer) << object.file << ": " << answer.error().message;
    ++taken;
  }
  EXPECT_GE(taken, 8u);
}

}  // namespace
}  // namespace lips::kubernetes
