// The verbs of the API server that change objects.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "kubernetes/api/time_text.h"
#include "virtual/api_server.h"
#include "virtual/disruption_budgets.h"
#include "virtual/json_patch.h"
#include "virtual/metadata_rules.h"
#include "virtual/pod_rules.h"
#include "virtual/quota_admission.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* modified =
    "the object has been modified; please apply your changes to the latest version and try again";

std::string text_of_uid(const Json& object) { return text_in(part_in(object, "metadata"), "uid"); }

// A writer who names the object or its version means no other; empty: it is the one.
std::string other_than_meant(const Json& meant, const Json& object) {
  const std::string uid = text_in(meant, "uid"), version = text_in(meant, "resourceVersion");
  if (!uid.empty() && uid != text_of_uid(object))
    return fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                       text_of_uid(object));
  return version.empty() || version == text_in(object["metadata"], "resourceVersion") ? "" : modified;
}

// The same of a deletion, in its own words.
std::string other_than_preconditions(const Json& preconditions, const Json& object) {
  constexpr const char* words = "the {} in the precondition ({}) does not match the {} in record ({})";
  const Json& metadata = object["metadata"];
  for (const auto& [field, name] : {std::pair{"uid", "UID"}, std::pair{"resourceVersion", "ResourceVersion"}}) {
    const std::string wanted = text_in(preconditions, field), found = text_in(metadata, field);
    if (!wanted.empty() && wanted != found) return fmt::format(fmt::runtime(words), name, wanted, name, found);
  }
  return "";
}

// The body of a creation or an update: its kind, and whether it belongs to the path. None: nothing is wrong.
std::optional<ApiResponse> wrong_body(const ApiKind& kind, const ApiPath& path, const Json& body) {
  if (!body.is_object()) return bad_request("the body of the request is no object");
  const std::string name = text_in(body, "kind"), version = text_in(body, "apiVersion");
  const Json metadata = part_in(body, "metadata");
  if (!has_right_types(metadata)) return bad_request("metadata of other types than the kind has");
  if (kind.custom && name.empty()) return bad_request("Object 'Kind' is missing");
  if (!name.empty() && name != kind.name) {
    if (kind.custom)
      return invalid(kind, text_in(metadata, "name"),
                     fmt::format("kind: Invalid value: \"{}\": must be {}", name, kind.name));
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}", name, version, kind.name));
  }
  const std::string name_space = text_in(metadata, "namespace");
  if (!name_space.empty() && name_space != path.name_space)
    return bad_request(
        fmt::format("the namespace of the provided object does not match the namespace sent on the "
                    "request"));
  if (!path.name.empty() && text_in(metadata, "name") != path.name)
    return bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                   text_in(metadata, "name"), path.name));
  return std::nullopt;
}

void keep(Json& object, const Json& before, const char* field) {
  const auto found = before.find(field);
  if (found == before.end())
    object.erase(field);
  else
    object[field] = *found;
}

// The status is a subresource: a write of the one leaves the other as it is.
Json half_of(const ApiKind& kind, const std::string& part, Json wanted, const Json& before) {
  if (!kind.status_part) return wanted;
  if (part.empty()) {
    keep(wanted, before, "status");
  } else if (kind.custom) {
    Json object = before;
    keep(object, wanted, "status");
    return object;
  } else {
    keep(wanted, before, "spec");
  }
  return wanted;
}

std::optional<std::int64_t> grace_in(const ApiPath& path, const Json& options) {
  const Json given = part_in(options, "gracePeriodSeconds");
  if (given.is_number_integer()) return given.get<std::int64_t>();
  const Json asked = Json::parse(path.query_value("gracePeriodSeconds"), nullptr, false);
  return asked.is_number_integer() ? std::optional(asked.get<std::int64_t>()) : std::nullopt;
}

// An object that is deleted stays while something keeps it: a finalizer, or the time that it was given.
bool is_kept(const Json& metadata) {
  const Json finalizers = part_in(metadata, "finalizers"), grace = part_in(metadata, "deletionGracePeriodSeconds");
  return (finalizers.is_array() && !finalizers.empty()) || (grace.is_number() && grace > 0);
}

// The finalizer by which a controller is asked to look after what the object owns; empty: none.
std::string finalizer_of(const ApiKind& kind, const std::string& policy) {
  if (policy == "Foreground") return "foregroundDeletion";
  return policy == "Orphan" || (policy.empty() && kind.orphans) ? "orphan" : "";
}

// Why the patch cannot be applied; empty: it is.
std::string patch_fault(Json& object, const Json& patch, const std::string& content) {
  try {
    if (content == json_patch_type)
      object = object.patch(patch);
    else if (content == kubernetes::strategic_merge_patch)
      strategic_merge_patch(object, patch);
    else
      merge_patch(object, patch);
    return "";
  } catch (const Json::exception& refused) {
    return refused.what();
  }
}

}  // namespace

ApiResponse ApiServer::create(const Target& target, Json body) {
  const auto& [path, collection, key, kind] = target;
  if (path.part == "binding") return bind(target, body);
  if (path.part == "eviction") return evict(target, body);
  if (auto wrong = wrong_body(kind, path, body)) return *wrong;
  body["kind"] = kind.name;
  body["apiVersion"] = kind.version;
  Json& metadata = body["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (!text_in(metadata, "resourceVersion").empty())
    return refusal(500, "", "resourceVersion should not be set on objects to be created");
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds", "namespace"}) metadata.erase(field);
  if (!path.name_space.empty()) metadata["namespace"] = path.name_space;
  const std::string beginning = text_in(metadata, "generateName");
  if (text_in(metadata, "name").empty()) {
    if (beginning.empty()) return invalid(kind, "", "metadata.name: Required value: name or generateName is required");
    metadata["name"] = fmt::format("{}{:05}", beginning, ++last_name_);
  }
  const std::string name = text_in(metadata, "name");
  if (kind.plural == "namespaces") label_with_name(metadata);
  if (const std::string fault = metadata_fault(metadata, Json(), kind.custom); !fault.empty())
    return invalid(kind, name, fault);
  if (kind.status_part && !kind.keeps_new_status) body.erase("status");
  if (kind.plural == "pods") begin_pod(body);
  if (prune_) prune_(collection, body);
  const std::string place = key_of(body);
  if (kind.plural == "pods" && !objects_.find(collection, place))
    if (const std::string why = admit_by_quotas(objects_, body); !why.empty())
      return refusal(403, "Forbidden", fmt::format("{} \"{}\" is forbidden: {}", kind.in_words(), name, why));
  if (const StoredObject* created = objects_.create(collection, std::move(body), loop_.now()))
    return {201, body_of(*created->json)};
  const Json& there = (*objects_.find(collection, place)->json)["metadata"];
  return refusal(
      409, "AlreadyExists",
      fmt::format("{}{} \"{}\" already exists", there.contains("deletionTimestamp") ? "object is being deleted: " : "",
                  kind.in_words(), name));
}

ApiResponse ApiServer::bind(const Target& target, const Json& body) {
  const auto& [path, collection, key, kind] = target;
  const Json meant = part_in(body, "metadata");
  if (text_in(meant, "name") != path.name) return bad_request("name in URL does not match name in Binding object");
  if (text_in(part_in(body, "target"), "name").empty()) return refusal(500, "", "target.name: Required value");
  const StoredObject* found = objects_.find(collection, key);
  if (!found) return not_found(kind, path.name);
  std::string why = other_than_meant(meant, *found->json);
  if (why.empty()) why = hindrance(*found->json);
  if (!why.empty()) return conflict(kind, path.name, why);
  Json pod = *found->json;
  assign_pod(pod, body, loop_.now());
  objects_.put(collection, key, std::move(pod), Generation::kept);
  return success(201);
}

ApiResponse ApiServer::evict(const Target& target, const Json& body) {
  const auto& [path, collection, key, kind] = target;
  if (text_in(part_in(body, "metadata"), "name") != path.name)
    return bad_request("name in URL does not match name in Eviction object");
  const StoredObject* found = objects_.find(collection, key);
  if (!found) return not_found(kind, path.name);
  const Json options = part_in(body, "deleteOptions");
  const std::string why = other_than_preconditions(part_in(options, "preconditions"), *found->json);
  if (!why.empty()) return conflict(kind, path.name, why);
  if (auto forbidden = forbidden_by_budgets(objects_, *found->json)) return *forbidden;
  if (grace_of(*found->json, grace_in(path, options)) > 0) {
    Json pod = *found->json;
    mark_eviction(pod, loop_.now());
    objects_.put(collection, key, std::move(pod));
  }
  // Its preconditions held; the mark above is a new version.
  Json rest = options;
  if (rest.is_object()) rest.erase("preconditions");
  const ApiResponse removed = remove(target, rest);
  return removed.code == 200 ? success(201) : removed;
}

ApiResponse ApiServer::put(const Target& target, Json object) {
  const auto& [path, collection, key, kind] = target;
  const Json before = part_in(*objects_.find(collection, key)->json, "metadata");
  if (prune_) prune_(collection, object);
  Json& metadata = object["metadata"];
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds"}) keep(metadata, before, field);
  if (kind.plural == "namespaces") label_with_name(metadata);
  if (const std::string fault = metadata_fault(metadata, before, kind.custom); !fault.empty())
    return invalid(kind, path.name, fault);
  if (!metadata.contains("deletionTimestamp") || is_kept(metadata))
    return {200, body_of(*objects_.put(collection, key, std::move(object)).json)};
  // The write that takes the last finalizer is not stored: a watch is told of the deletion alone.
  for (const char* field : {"uid", "creationTimestamp", "resourceVersion", "generation"}) keep(metadata, before, field);
  objects_.remove(collection, key);
  return {200, body_of(object)};
}

ApiResponse ApiServer::update(const Target& target, const Json& body) {
  const auto& [path, collection, key, kind] = target;
  if (auto wrong = wrong_body(kind, path, body)) return *wrong;
  const Json metadata = part_in(body, "metadata");
  const StoredObject* found = objects_.find(collection, key);
  if (!found) {
    if (!kind.update_creates || !path.part.empty()) return not_found(kind, path.name);
    if (const std::string uid = text_in(metadata, "uid"); !uid.empty())
      return conflict(kind, path.name,
                      fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: ", uid));
    Target created = target;
    created.path.name.clear();
    Json anew = body;
    anew["metadata"].erase("resourceVersion");
    return create(created, std::move(anew));
  }
  if (kind.update_needs_version && text_in(metadata, "resourceVersion").empty())
    return invalid(kind, path.name, "metadata.resourceVersion: Invalid value: 0: must be specified for an update");
  if (const std::string why = other_than_meant(metadata, *found->json); !why.empty())
    return conflict(kind, path.name, why);
  Json wanted = body;
  wanted["kind"] = kind.name;
  wanted["apiVersion"] = kind.version;
  return put(target, half_of(kind, path.part, std::move(wanted), *found->json));
}

ApiResponse ApiServer::patch(const Target& target, const Json& body, const std::string& content) {
  const auto& [path, collection, key, kind] = target;
  const bool strategic = content == kubernetes::strategic_merge_patch, operations = content == json_patch_type;
  if ((!strategic && !operations && content != kubernetes::merge_patch) || (strategic && kind.custom))
    return refusal(415, "UnsupportedMediaType",
                   "the body of the request was in an unknown format - accepted media types include: "
                   "application/json-patch+json, application/merge-patch+json");
  const bool list =
      body.is_array() && std::all_of(body.begin(), body.end(), [](const Json& e) { return e.is_object(); });
  if (operations ? !list : !body.is_object())
    return bad_request("the patch is neither an object nor a list of operations");
  const StoredObject* found = objects_.find(collection, key);
  if (!found) return not_found(kind, path.name);
  Json object = *found->json;
  const std::string fault = patch_fault(object, body, content);
  const Json metadata = part_in(object, "metadata"), before = part_in(*found->json, "metadata");
  if (!fault.empty() || !has_right_types(metadata))
    return invalid(kind, path.name, fault.empty() ? "patch: Invalid value" : fault);
  if (text_in(metadata, "name") != path.name) return bad_request("the name of the object does not match the URL");
  if (text_in(metadata, "resourceVersion") != text_in(before, "resourceVersion"))
    return conflict(kind, path.name, modified);
  const bool own_status = kind.custom && !path.part.empty();  // its metadata are not looked at
  if (!own_status && text_in(metadata, "uid") != text_in(before, "uid"))
    return invalid(kind, path.name,
                   fmt::format("metadata.uid: Invalid value: \"{}\": field is immutable", text_in(metadata, "uid")));
  return put(target, half_of(kind, path.part, std::move(object), *found->json));
}

ApiResponse ApiServer::remove(const Target& target, const Json& options) {
  const auto& [path, collection, key, kind] = target;
  std::string policy = text_in(options, "propagationPolicy");
  if (policy.empty()) policy = path.query_value("propagationPolicy");
  constexpr std::array policies{"", "Background", "Foreground", "Orphan"};
  if (std::find(policies.begin(), policies.end(), policy) == policies.end())
    return invalid(kind, path.name, fmt::format("propagationPolicy: Unsupported value: \"{}\"", policy));
  const StoredObject* found = objects_.find(collection, key);
  if (!found) return not_found(kind, path.name);
  const Json before = *found->json;
  const std::string why = other_than_preconditions(part_in(options, "preconditions"), before);
  if (!why.empty()) return conflict(kind, path.name, why);
  Json object = before;
  Json& metadata = object["metadata"];
  if (const std::string finalizer = finalizer_of(kind, policy); !finalizer.empty()) {
    Json& list = metadata["finalizers"];
    if (std::find(list.begin(), list.end(), finalizer) == list.end()) list.push_back(finalizer);
  }
  const bool pod = kind.plural == "pods";
  const std::int64_t grace = pod ? grace_of(before, grace_in(path, options)) : 0;
  const Json given = part_in(metadata, "deletionGracePeriodSeconds");
  // A second deletion may only hasten the first.
  if (!metadata.contains("deletionTimestamp") || (given.is_number() && given > grace)) {
    metadata["deletionTimestamp"] = kubernetes::time_text(loop_.now() + std::chrono::seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
  }
  const bool kept = is_kept(metadata);
  // A watch of pods is told of the time of deletion even where that is now.
  if (pod || kept) object = *objects_.put(collection, key, std::move(object)).json;
  if (kept) return {200, body_of(object)};
  objects_.remove(collection, key);
  return kind.deletion_answers_object ? ApiResponse{200, body_of(object)} : deleted(kind, before["metadata"]);
}

}  // namespace lips::virtual_cluster
