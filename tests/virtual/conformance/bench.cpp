#include "tests/virtual/conformance/bench.h"

#include <gtest/gtest.h>

#include "kubernetes/api/time_text.h"

namespace lips::virtual_cluster {

std::string Bench::name(const Kind& kind, const std::string& name) const {
  return kind.namespaced || name.empty() ? name : name_space_ + '-' + name;
}

std::string Bench::path(const Kind& kind, const std::string& name) const {
  return std::string(kind.root) + (kind.namespaced ? "/namespaces/" + name_space_ : "") + '/' + kind.plural +
         (name.empty() ? "" : '/' + this->name(kind, name));
}

Json Bench::object(const Kind& kind, const std::string& name) const {
  Json object = Json::parse(kind.fields);
  const std::string root = kind.root;
  object["apiVersion"] = root.substr(root.find('/', 1) + 1);
  object["kind"] = kind.name;
  object["metadata"]["name"] = this->name(kind, name);
  if (object["kind"] == "Event") {
    object["metadata"]["namespace"] = name_space_;
    object["regarding"] = {{"kind", "Pod"}, {"namespace", name_space_}, {"name", "a"}};
  }
  return object;
}

Json Bench::make(const std::string& plural, const std::string& name, const Json& more) {
  Json object = this->object(plural, name);
  object.merge_patch(more);
  const Replied reply = post(path(plural), object);
  EXPECT_EQ(reply.code, 201) << reply.body;
  return reply.body;
}

Json Bench::read(const std::string& path) {
  const Replied reply = get(path);
  EXPECT_EQ(reply.code, 200) << path << ' ' << reply.body;
  return reply.body;
}

Json Bench::patched(const std::string& path, const Json& body, const std::string& content) {
  const Replied reply = patch(path, body, content);
  EXPECT_EQ(reply.code, 200) << reply.body;
  return reply.body;
}

Json Bench::make_bound_pod(const std::string& name, const Json& more) {
  make("pods", name, more);
  EXPECT_EQ(bind(name, "no-such-node").code, 201);
  return read(path("pods", name));
}

Replied Bench::bind(const std::string& pod, const std::string& node, const Json& metadata) {
  Json body{{"apiVersion", "v1"}, {"kind", "Binding"}, {"metadata", {{"name", pod}}}, {"target", {{"name", node}}}};
  body["metadata"].update(metadata);
  return post(path("pods", pod) + "/binding", body);
}

Replied Bench::evict(const std::string& pod, const Json& options) {
  Json body{{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod}}}};
  if (!options.is_null()) body["deleteOptions"] = options;
  return post(path("pods", pod) + "/eviction", body);
}

std::vector<std::string> Bench::names_of_list(const std::string& path) {
  std::vector<std::string> names;
  for (const Json& item : at(read(path), "/items")) names.push_back(text_at(item, "/metadata/name"));
  return names;
}

std::string Bench::version_of_list(const std::string& path) { return text_at(read(path), "/metadata/resourceVersion"); }

std::unique_ptr<ServerUnderTest::Watching> Bench::watch_from(const std::string& path, const std::string& version,
                                                             const std::string& query) {
  return server_.watch(path + "?watch=true&resourceVersion=" + version + query);
}

Json at(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  return json.is_structured() && json.contains(place) ? json.at(place) : Json();
}

std::string text_at(const Json& json, const char* pointer) {
  const Json found = at(json, pointer);
  return found.is_string() ? found.get<std::string>() : "";
}

std::uint64_t version_of(const Json& object) {
  const std::string text = text_at(object, "/metadata/resourceVersion");
  EXPECT_FALSE(text.empty()) << object;
  return text.empty() ? 0 : std::stoull(text);
}

std::string uid_of(const Json& object) { return text_at(object, "/metadata/uid"); }

std::int64_t seconds_at(const Json& json, const char* pointer) {
  const auto time = kubernetes::parse_time(text_at(json, pointer));
  EXPECT_TRUE(time.has_value()) << pointer << " of " << json;
  return time ? std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count() : 0;
}

std::vector<std::string> told(const std::vector<Json>& events) {
  std::vector<std::string> result;
  for (const Json& event : events)
    result.push_back(text_at(event, "/type") + ' ' + text_at(event, "/object/metadata/name"));
  return result;
}

void expect_refusal(const Replied& reply, int code, const std::string& reason, const std::string& words) {
  EXPECT_EQ(reply.code, code) << reply.body;
  EXPECT_EQ(text_at(reply.body, "/kind"), "Status") << reply.body;
  EXPECT_EQ(text_at(reply.body, "/status"), "Failure");
  EXPECT_EQ(text_at(reply.body, "/reason"), reason) << reply.body;
  EXPECT_EQ(at(reply.body, "/code"), code);
  EXPECT_NE(text_at(reply.body, "/message").find(words), std::string::npos) << reply.body;
}

Json label(const std::string& key, const Json& value) { return {{"metadata", {{"labels", {{key, value}}}}}}; }

}  // namespace lips::virtual_cluster
