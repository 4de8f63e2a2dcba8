// The words in which checks are written: requests for objects by kind and short name, in a namespace of the check's
// own. Knows no particular server.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kubernetes/api/api_request.h"
#include "tests/virtual/conformance/kind.h"
#include "tests/virtual/conformance/server_under_test.h"

namespace lips::virtual_cluster {

inline constexpr const char* json_patch_content = "application/json-patch+json";

class Bench {
 public:
  explicit Bench(ServerUnderTest& server) : server_(server), name_space_(server.new_name_space()) {}

  ServerUnderTest& server() { return server_; }
  const std::string& name_space() const { return name_space_; }
  // Objects of the cluster have the namespace in their names, so that checks share no object.
  std::string name(const Kind& kind, const std::string& name) const;
  std::string path(const Kind& kind, const std::string& name = "") const;
  std::string path(const std::string& plural, const std::string& name = "") const {
    return path(kind_of(plural), name);
  }
  Json object(const Kind& kind, const std::string& name) const;
  Json object(const std::string& plural, const std::string& name) const { return object(kind_of(plural), name); }

  Replied get(const std::string& path) { return ask("GET", path); }
  Replied post(const std::string& path, const Json& body) { return ask("POST", path, body.dump()); }
  Replied put(const std::string& path, const Json& body) { return ask("PUT", path, body.dump()); }
  Replied patch(const std::string& path, const Json& body, const std::string& content = kubernetes::merge_patch) {
    return ask("PATCH", path, body.dump(), content);
  }
  Replied remove(const std::string& path, const Json& options = Json()) {
    return ask("DELETE", path, options.is_null() ? "" : options.dump());
  }
  Replied ask(const std::string& method, const std::string& path, const std::string& body = "",
              const std::string& content = kubernetes::json_content) {
    return server_.ask({method, path, body, content});
  }

  // These expect success, and return the object.
  Json make(const std::string& plural, const std::string& name, const Json& more = Json::object());
  Json read(const std::string& path);
  Json patched(const std::string& path, const Json& body, const std::string& content = kubernetes::merge_patch);
  // A pod on a node; without a kubelet it stays Pending.
  Json make_bound_pod(const std::string& name, const Json& more = Json::object());
  Replied bind(const std::string& pod, const std::string& node, const Json& metadata = Json::object());
  Replied evict(const std::string& pod, const Json& options = Json());

  std::vector<std::string> names_of_list(const std::string& path);
  std::string version_of_list(const std::string& path);
  std::unique_ptr<ServerUnderTest::Watching> watch(const std::string& path) { return server_.watch(path); }
  std::unique_ptr<ServerUnderTest::Watching> watch_from(const std::string& path, const std::string& version,
                                                        const std::string& query = "");

 private:
  ServerUnderTest& server_;
  const std::string name_space_;
};

// The value at a JSON pointer; null: none.
Json at(const Json& json, const char* pointer);
std::string text_at(const Json& json, const char* pointer);
std::uint64_t version_of(const Json& object);
std::string uid_of(const Json& object);
std::int64_t seconds_at(const Json& json, const char* pointer);
// The types of events, with the names of their objects: "ADDED a".
std::vector<std::string> told(const std::vector<Json>& events);
// The answer is a Status with that code, reason and words.
void expect_refusal(const Replied& reply, int code, const std::string& reason, const std::string& words = "");
Json label(const std::string& key, const Json& value);

// ---- the table ----

struct Check {
  const char* name;
  void (*run)(Bench& bench);
};
struct KindCheck {
  const char* name;
  void (*run)(Bench& bench, const Kind& kind);
};

std::span<const KindCheck> checks_of_kinds();  // each is made with every kind
std::span<const Check> checks_of_creation();
std::span<const Check> checks_of_lists();
std::span<const Check> checks_of_watches();
std::span<const Check> checks_of_updates();
std::span<const Check> checks_of_patches();
std::span<const Check> checks_of_pods();
std::span<const Check> checks_of_quotas();
std::span<const Check> checks_of_budgets();
std::span<const Check> checks_of_deletion();
std::span<const Check> checks_of_discovery();

}  // namespace lips::virtual_cluster
