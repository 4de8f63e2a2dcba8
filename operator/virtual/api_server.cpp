#include "virtual/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/time_text.h"
#include "virtual/api_discovery.h"
#include "virtual/api_kinds.h"
#include "virtual/json_patch.h"

namespace lips::virtual_cluster {
namespace {

std::string text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

ApiResponse refusal(int code, const std::string& reason, const std::string& message) {
  return {code, text({{"kind", "Status"},
                      {"apiVersion", "v1"},
                      {"status", "Failure"},
                      {"reason", reason},
                      {"message", message},
                      {"code", code}})};
}

ApiResponse not_found(const ApiPath& path) {
  return refusal(404, "NotFound", fmt::format("{} \"{}\" not found", path.resource, path.name));
}

ApiResponse conflict(const ApiPath& path, const std::string& why) {
  return refusal(409, "Conflict",
                 fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", path.resource, path.name, why));
}

std::string collection_of(const ApiPath& path) { return path.group + '/' + path.resource; }

// The fields that the operator's informers select by.
bool selects_fields(const std::string& selector, const Json& object) {
  if (selector.empty()) return true;
  const std::size_t equals = selector.find('=');
  const std::string value = selector.substr(std::min(equals + 1, selector.size()));
  std::string pointer = '/' + selector.substr(0, equals);
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json::json_pointer at(pointer);
  return object.contains(at) ? object[at] == value : value.empty();
}

bool is_selected(const ApiPath& path, const Json& object) {
  const Json& metadata = object["metadata"];
  if (!path.name_space.empty() && metadata.value("namespace", "") != path.name_space) return false;
  if (!selects_fields(path.query_value("fieldSelector"), object)) return false;
  const std::string selector = path.query_value("labelSelector");
  if (selector.empty()) return true;
  return selects(selector, metadata.value("labels", std::map<std::string, std::string>()));
}

std::string event_line(ChangeType type, const Json& object) {
  constexpr const char* names[] = {"ADDED", "MODIFIED", "DELETED"};
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", names[static_cast<int>(type)], text(object));
}

// The precondition that the writer states; empty: it holds.
std::string broken_precondition(const Json& wanted, const Json& object) {
  const auto of = [](const Json& json, const char* field) { return json.value(field, std::string()); };
  if (!wanted.is_object()) return "";
  const std::string uid = of(wanted, "uid"), version = of(wanted, "resourceVersion");
  const Json& metadata = object["metadata"];
  if (!uid.empty() && uid != of(metadata, "uid"))
    return fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                       of(metadata, "uid"));
  if (!version.empty() && version != of(metadata, "resourceVersion"))
    return "the object has been modified; please apply your changes to the latest version and try again";
  return "";
}

// The kubelet of a pod that runs lets it end before it removes it.
bool ends_in_order(const ApiPath& path, const Json& object) {
  return path.resource == "pods" && path.query_value("gracePeriodSeconds") != "0" &&
         object["status"].value("phase", "") == "Running";
}

void set_condition(Json& pod, Json condition) {
  Json patch{{"conditions", Json::array({std::move(condition)})}};
  strategic_merge_patch(pod["status"], patch);
}

}  // namespace

ApiResponse ApiServer::handle(const kubernetes::ApiRequest& request) {
  using enum kubernetes::Verb;
  const std::optional<ApiPath> path = parse_api_path(request.path);
  if (!path || path->resource.empty()) {
    const std::string whole = request.path.substr(0, request.path.find('?'));
    if (const std::optional<Json> answer = discovered(whole, objects_.served())) return {200, text(*answer)};
  }
  if (!path) return refusal(404, "NotFound", "the server could not find the requested resource");
  if (!objects_.serves(collection_of(*path)))
    return refusal(404, "NotFound", "the server could not find the requested resource");
  const Json body = request.body.empty() ? Json() : Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) return refusal(400, "BadRequest", "the body of the request was not JSON");
  switch (request.verb) {
    case get:
    case list:
    case watch: {
      if (path->name.empty()) return this->list(*path);
      const StoredObject* found = objects_.find(collection_of(*path), key_of(path->name_space, path->name));
      return found ? ApiResponse{200, text(*found->json)} : not_found(*path);
    }
    case create:
      return this->create(*path, body);
    case update:
      return this->update(*path, body);
    case patch:
      return this->patch(*path, body, request.content_type);
    case remove:
      return this->remove(*path, body);
  }
  return refusal(405, "MethodNotAllowed", "no such verb");
}

ApiResponse ApiServer::list(const ApiPath& path) {
  Paging page;
  const std::string token = path.query_value("continue");
  if (token.empty()) {
    page.version = objects_.version();
    for (const auto& [key, stored] : objects_.all(collection_of(path)))
      if (is_selected(path, *stored.json)) page.left.push_back(stored.json);
    std::reverse(page.left.begin(), page.left.end());
  } else {
    const auto kept = pages_.find(token);
    if (kept == pages_.end()) return refusal(410, "Expired", "The provided continue parameter is too old");
    page = std::move(kept->second);
    pages_.erase(kept);
  }
  const std::string limit = path.query_value("limit");
  std::size_t count = limit.empty() ? 0 : std::stoul(limit);
  if (count == 0) count = page.left.size();
  std::string items;
  for (; count > 0 && !page.left.empty(); --count) {
    items += (items.empty() ? "" : ",") + text(*page.left.back());
    page.left.pop_back();
  }
  const std::uint64_t version = page.version;
  std::string next;
  if (!page.left.empty()) {
    next = fmt::format("page-{}", ++last_page_);
    pages_[next] = std::move(page);
  }
  const ApiKind* kind = kind_of_collection(collection_of(path));
  return {
      200,
      fmt::format(
          R"({{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
          kind ? kind->kind : "", group_version(path.group), version, next, items)};
}

std::string ApiServer::bookmark() const {
  return fmt::format("{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{}\"}}}}}}\n",
                     objects_.version());
}

ApiServer::Watch ApiServer::watch(const std::string& text_of_path, std::function<void(std::string)> told) {
  Watch result;
  const std::optional<ApiPath> path = parse_api_path(text_of_path);
  if (!path || !objects_.serves(collection_of(*path))) {
    result.refused = true, result.code = 404;
    return result;
  }
  result.collection = collection_of(*path);
  const std::string from = path->query_value("resourceVersion");
  const auto before = objects_.since(result.collection, from.empty() ? objects_.version() : std::stoull(from));
  if (!before) {
    result.refused = true;
    result.lines.push_back(
        fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n",
                    refusal(410, "Expired", fmt::format("too old resource version: {}", from)).body));
    return result;
  }
  for (const ObjectChange& change : *before)
    if (is_selected(*path, *change.now.json)) result.lines.push_back(event_line(change.type, *change.now.json));
  result.listener =
      objects_.listen(result.collection, [path = *path, told = std::move(told)](const ObjectChange& change) {
        if (is_selected(path, *change.now.json)) told(event_line(change.type, *change.now.json));
      });
  return result;
}

ApiResponse ApiServer::create(const ApiPath& path, Json body) {
  if (!body.is_object()) return refusal(400, "BadRequest", "the body of the request is no object");
  if (path.resource == "pods" && path.part == "binding") return bind(path, body);
  if (path.resource == "pods" && path.part == "eviction") return remove(path, body.value("deleteOptions", Json()));
  if (!path.part.empty()) return refusal(404, "NotFound", "the server could not find the requested resource");
  Json& metadata = body["metadata"];
  if (!path.name_space.empty()) metadata["namespace"] = path.name_space;
  if (metadata.value("name", "").empty() && metadata.contains("generateName"))
    metadata["name"] = fmt::format("{}{:05}", metadata.value("generateName", ""), ++last_name_);
  if (metadata.value("name", "").empty()) return refusal(422, "Invalid", "metadata.name: Required value");
  if (path.resource == "pods" && !body.contains("status")) body["status"]["phase"] = "Pending";
  const StoredObject* created = objects_.create(collection_of(path), std::move(body), loop_.now());
  if (!created) return refusal(409, "AlreadyExists", fmt::format("{} \"{}\" already exists", path.resource, path.name));
  return {201, text(*created->json)};
}

// The fields of a Binding, and what the registry of pods checks before it assigns one.
ApiResponse ApiServer::bind(const ApiPath& path, const Json& body) {
  const StoredObject* found = objects_.find(collection_of(path), key_of(path.name_space, path.name));
  if (!found) return not_found(path);
  Json pod = *found->json;
  if (const std::string why = broken_precondition({{"uid", body["metadata"].value("uid", "")}}, pod); !why.empty())
    return conflict(path, why);
  const std::string node = body.at("target").value("name", "");
  if (pod["metadata"].contains("deletionTimestamp"))
    return conflict(path, fmt::format("pod {} is being deleted, cannot be assigned to a host", path.name));
  if (const std::string there = pod["spec"].value("nodeName", ""); !there.empty())
    return conflict(path, fmt::format("pod {} is already assigned to node \"{}\"", path.name, there));
  if (!pod["spec"].value("schedulingGates", Json::array()).empty())
    return conflict(path, fmt::format("pod {} has non-empty .spec.schedulingGates", path.name));
  pod["spec"]["nodeName"] = node;
  if (body["metadata"].contains("annotations")) pod["metadata"]["annotations"].update(body["metadata"]["annotations"]);
  set_condition(pod, {{"type", "PodScheduled"},
                      {"status", "True"},
                      {"reason", nullptr},
                      {"message", nullptr},
                      {"lastTransitionTime", kubernetes::time_text(loop_.now())}});
  objects_.put(collection_of(path), key_of(path.name_space, path.name), std::move(pod));
  return {201, R"({"kind":"Status","apiVersion":"v1","status":"Success","code":201})"};
}

ApiResponse ApiServer::put(const ApiPath& path, Json object) {
  const std::string key = key_of(path.name_space, path.name);
  const StoredObject& stored = objects_.put(collection_of(path), key, std::move(object));
  const Json& metadata = (*stored.json)["metadata"];
  if (metadata.contains("deletionTimestamp") && metadata.value("finalizers", Json::array()).empty() &&
      !ends_in_order(path, *stored.json)) {
    const std::string last = text(*stored.json);
    objects_.remove(collection_of(path), key);
    return {200, last};
  }
  return {200, text(*stored.json)};
}

ApiResponse ApiServer::update(const ApiPath& path, const Json& body) {
  const StoredObject* found = objects_.find(collection_of(path), key_of(path.name_space, path.name));
  if (!found) return not_found(path);
  if (const std::string why = broken_precondition(body.value("metadata", Json()), *found->json); !why.empty())
    return conflict(path, why);
  Json object = path.part == "status" ? *found->json : body;
  if (path.part == "status")
    object["status"] = body.value("status", Json::object());
  else if (found->json->contains("status"))
    object["status"] = (*found->json)["status"];
  return put(path, std::move(object));
}

ApiResponse ApiServer::patch(const ApiPath& path, const Json& body, const std::string& kind) {
  const StoredObject* found = objects_.find(collection_of(path), key_of(path.name_space, path.name));
  if (!found) return not_found(path);
  if (const std::string why = broken_precondition(body.value("metadata", Json()), *found->json); !why.empty())
    return conflict(path, why);
  Json object = *found->json;
  kind == kubernetes::strategic_merge_patch ? strategic_merge_patch(object, body) : merge_patch(object, body);
  // The status is a subresource: a write of the one leaves the other as it is.
  const char* other = path.part == "status" ? "spec" : "status";
  const auto before = found->json->find(other);
  if (before == found->json->end())
    object.erase(other);
  else
    object[other] = *before;
  return put(path, std::move(object));
}

ApiResponse ApiServer::remove(const ApiPath& path, const Json& body) {
  const std::string key = key_of(path.name_space, path.name);
  const StoredObject* found = objects_.find(collection_of(path), key);
  if (!found) return not_found(path);
  const Json preconditions = body.is_object() ? body.value("preconditions", Json()) : Json();
  if (const std::string why = broken_precondition(preconditions, *found->json); !why.empty())
    return conflict(path, why);
  const bool finalized = !(*found->json)["metadata"].value("finalizers", Json::array()).empty();
  if (finalized || ends_in_order(path, *found->json)) {
    Json object = *found->json;
    object["metadata"]["deletionTimestamp"] = kubernetes::time_text(loop_.now());
    return put(path, std::move(object));
  }
  const std::string last = text(*found->json);
  objects_.remove(collection_of(path), key);
  return {200, last};
}

}  // namespace lips::virtual_cluster
