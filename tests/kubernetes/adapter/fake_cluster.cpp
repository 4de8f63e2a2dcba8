#include "tests/kubernetes/adapter/fake_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace lips::kubernetes {
namespace {

const std::string scheduling_group = "/apis/scheduling.k8s.io";

std::string status_text(int code, const std::string& message) {
  return nlohmann::json{{"kind", "Status"}, {"code", code}, {"message", message}}.dump();
}

Reply reply(int code, std::string body, bool cut = false) {
  Reply result;
  result.code = code;
  result.body = std::move(body);
  result.cut = cut;
  return result;
}

std::string event_line(const std::string& type, const std::string& object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

std::string last_word(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// /api/v1/namespaces/default/pods/NAME/binding
std::string pod_name(const std::string& path) {
  const std::size_t begin = path.find("/pods/") + 6;
  return path.substr(begin, path.find('/', begin) - begin);
}

}  // namespace

ClusterLink FakeCluster::link() {
  ClusterLink link{loop_, [this](ClientOptions options) {
                     return connect_to([this](const ReceivedRequest& request) { return answer(request); }, *loop_,
                                       std::move(options));
                   }};
  if (others_)
    link.connect_to_others = [this](ClientOptions options) { return connect_to(others_, *loop_, std::move(options)); };
  return link;
}

Connection FakeCluster::connection() {
  if (!server_)
    server_ = std::make_unique<FakeApiServer>([this](const ReceivedRequest& request) { return answer(request); });
  return server_->connection();
}

void FakeCluster::tell(const std::string& kind, const std::string& type, const std::string& object) {
  const std::string line = event_line(type, object);
  history_.push_back({version_, kind, line});
  for (const auto& [watched, feed] : feeds_)
    if (watched == kind) feed->push(line);
}

void FakeCluster::put_node(const std::string& name, const FakeNode& node) {
  with_lock([&] {
    const bool known = nodes_.contains(name);
    nodes_[name] = {node, ++version_};
    tell("nodes", known ? "MODIFIED" : "ADDED", node_text(name, node, version_));
  });
}

void FakeCluster::remove_node(const std::string& name) {
  with_lock([&] {
    const FakeNode node = nodes_[name].first;
    nodes_.erase(name);
    ++version_;
    tell("nodes", "DELETED", node_text(name, node, version_));
  });
}

void FakeCluster::put_pod(const std::string& name, FakePod pod) {
  with_lock([&] {
    pod.uid = fmt::format("uid-{}", ++uids_);
    pod.version = ++version_;
    pods_[name] = pod;
    tell("pods", "ADDED", pod_text(name, pod));
  });
}

void FakeCluster::put_resource(const std::string& plural, const std::string& name, const std::string& json) {
  with_lock([&] {
    ++version_;
    auto object = nlohmann::json::parse(json);
    if (object.contains("metadata")) object["metadata"].emplace("resourceVersion", std::to_string(version_));
    resources_[plural][name] = object.dump();
    tell(plural, "ADDED", object.dump());
  });
}

void FakeCluster::put_storage(const std::string& plural, const std::string& name, nlohmann::json object) {
  with_lock([&] {
    const bool known = storage_[plural].contains(name);
    object["metadata"]["name"] = name;
    object["metadata"]["uid"] = "uid-of-" + name;
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    if (plural == "persistentvolumeclaims") object["metadata"]["namespace"] = "default";
    storage_[plural][name] = object;
    tell(plural, known ? "MODIFIED" : "ADDED", object.dump());
  });
}

void FakeCluster::remove_storage(const std::string& plural, const std::string& name) {
  with_lock([&] {
    auto gone = storage_[plural].extract(name);
    gone.mapped()["metadata"]["resourceVersion"] = std::to_string(++version_);
    tell(plural, "DELETED", gone.mapped().dump());
  });
}

nlohmann::json FakeCluster::storage(const std::string& plural, const std::string& name) const {
  return with_lock([&] { return storage_.at(plural).at(name); });
}

// Preconditions: the uid and, if the patch names it, the version.
Reply FakeCluster::patch_storage(const ReceivedRequest& request) {
  const auto patch = nlohmann::json::parse(request.body);
  const bool is_claim = request.path.find("/persistentvolumeclaims/") != std::string::npos;
  auto& objects = storage_[is_claim ? "persistentvolumeclaims" : "persistentvolumes"];
  const auto found = objects.find(last_word(request.path));
  if (found == objects.end()) return reply(404, status_text(404, "not found"));
  nlohmann::json& object = found->second;
  for (const char* key : {"uid", "resourceVersion"})
    if (patch["metadata"].contains(key) && patch["metadata"][key] != object["metadata"][key])
      return reply(409, status_text(409, "the object has been modified"));
  object.merge_patch(patch);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  tell(is_claim ? "persistentvolumeclaims" : "persistentvolumes", "MODIFIED", object.dump());
  return reply(200, object.dump());
}

void FakeCluster::put_job(const std::string& name, int completions) {
  with_lock([&] {
    FakeJob& job = jobs_[name];
    job.completions = completions;
    job.version = ++version_;
    tell("jobs", "ADDED", job_text(name, job));
  });
}

void FakeCluster::change_job(const std::string& name, const nlohmann::json& more) {
  with_lock([&] {
    FakeJob& job = jobs_.at(name);
    job.more.merge_patch(more);
    job.version = ++version_;
    tell("jobs", "MODIFIED", job_text(name, job));
  });
}

void FakeCluster::remove_job(const std::string& name) {
  with_lock([&] {
    FakeJob job = jobs_.at(name);
    jobs_.erase(name);
    job.version = ++version_;
    tell("jobs", "DELETED", job_text(name, job));
  });
}

void FakeCluster::change_pod(const std::string& name, const std::function<void(FakePod&)>& change) {
  with_lock([&] {
    FakePod& pod = pods_.at(name);
    change(pod);
    pod.version = ++version_;
    tell("pods", "MODIFIED", pod_text(name, pod));
  });
}

void FakeCluster::end_pod(const std::string& name, const std::string& phase) {
  change_pod(name, [&](FakePod& pod) { pod.phase = phase; });
}

void FakeCluster::remove_pod(const std::string& name) {
  with_lock([&] {
    FakePod pod = pods_.at(name);
    pods_.erase(name);
    pod.version = ++version_;
    tell("pods", "DELETED", pod_text(name, pod));
  });
}

void FakeCluster::put_config_map(const std::string& name, const std::map<std::string, std::string>& data) {
  with_lock([&] { config_maps_[name] = data; });
}

void FakeCluster::serve_pod_groups(std::vector<std::string> versions) {
  with_lock([&] { pod_group_versions_ = std::move(versions); });
}

void FakeCluster::trouble(int per_mille) {
  with_lock([&] { trouble_ = per_mille; });
}

void FakeCluster::forbid(const std::string& part) {
  with_lock([&] { forbidden_ = part; });
}

void FakeCluster::refuse_lists(const std::string& end_of_path, int code) {
  with_lock([&] { unlisted_ = {end_of_path, code}; });
}

void FakeCluster::lose_next_binding() {
  with_lock([&] { losing_ = Losing::next; });
}
void FakeCluster::deny_after_first_try(const std::string& pod, FirstTry first) {
  with_lock([&] { denied_ = {pod, first, 0}; });
}
void FakeCluster::refuse_bindings() {
  with_lock([&] { losing_ = Losing::busy; });
}
void FakeCluster::serve_bindings() {
  with_lock([&] { losing_ = Losing::no; });
}

void FakeCluster::mute_watches() {
  with_lock([&] { mute_now(); });
}

void FakeCluster::mute_now() {
  for (const auto& [kind, feed] : feeds_) muted_.push_back(feed);
  feeds_.clear();
}

void FakeCluster::cut_watches() {
  with_lock([&] {
    for (const auto& [kind, feed] : feeds_) feed->cut();
    for (const auto& feed : muted_) feed->cut();
    feeds_.clear();
    muted_.clear();
  });
}

void FakeCluster::forget_versions() {
  with_lock([&] { oldest_ = ++version_; });
  cut_watches();
}

void FakeCluster::go_back_to(int version) {
  with_lock([&] {
    version_ = oldest_ = version;
    history_.clear();
  });
  cut_watches();
}

FakePod FakeCluster::pod(const std::string& name) const {
  return with_lock([&] { return pods_.at(name); });
}
FakeJob FakeCluster::job(const std::string& name) const {
  return with_lock([&] { return jobs_.at(name); });
}
std::map<std::string, FakePod> FakeCluster::pods() const {
  return with_lock([&] { return pods_; });
}
std::map<std::string, std::string> FakeCluster::config_map(const std::string& name) const {
  return with_lock([&] {
    const auto found = config_maps_.find(name);
    return found == config_maps_.end() ? std::map<std::string, std::string>{} : found->second;
  });
}
std::map<std::string, nlohmann::json> FakeCluster::created_pods() const {
  return with_lock([&] { return created_pods_; });
}
void FakeCluster::remove_created(const std::string& name) {
  with_lock([&] { remove_now(name); });
}
std::vector<std::string> FakeCluster::wrong() const {
  return with_lock([&] { return wrong_; });
}
std::size_t FakeCluster::bindings() const {
  return with_lock([&] { return bindings_; });
}
std::size_t FakeCluster::bound_to(const std::string& node) const {
  return with_lock([&] {
    return static_cast<std::size_t>(
        std::count_if(pods_.begin(), pods_.end(), [&](const auto& entry) { return entry.second.node == node; }));
  });
}

std::vector<ReceivedRequest> FakeCluster::requests() const {
  return with_lock([&] { return requests_; });
}

std::size_t FakeCluster::requests_for(const std::string& end_of_path) const {
  return with_lock([&] {
    return static_cast<std::size_t>(
        std::count_if(requests_.begin(), requests_.end(),
                      [&](const ReceivedRequest& request) { return request.path.ends_with(end_of_path); }));
  });
}

Reply FakeCluster::answer(const ReceivedRequest& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  if (broken_) return reply(0, "", true);
  if (request.method == "GET" && !unlisted_.first.empty() && request.path.ends_with(unlisted_.first))
    return reply(unlisted_.second, status_text(unlisted_.second, "lips may not list " + unlisted_.first));
  if (request.path.starts_with("/apis/lips.dev") || request.path.starts_with("/apis/karpenter.sh"))
    return answer_resources(request);
  if (request.path == "/apis/jobset.x-k8s.io/v1alpha2") return resources_of_group({"jobsets"});
  if (request.path == "/apis/argoproj.io/v1alpha1") return resources_of_group({"workflows", "applications"});
  if (request.path.starts_with(scheduling_group))
    if (auto answered = answer_scheduling(request.path)) return *std::move(answered);
  const bool guarded = request.method != "GET" || request.path.find("/configmaps/") != std::string::npos ||
                       request.path.find("/podgroups") != std::string::npos ||
                       request.path.find("/jobsets") != std::string::npos;
  if (guarded && !forbidden_.empty() && request.path.find(forbidden_) != std::string::npos)
    return reply(403, status_text(403, "lips may not write " + forbidden_));
  if (request.path.ends_with("/binding")) return bind(request);
  if (request.path.ends_with("/status")) return patch_status(request);
  if (request.path.find("/configmaps") != std::string::npos) return config_maps(request);
  if (request.method == "POST" && request.path.ends_with("/pods")) return create_pod(request);
  if (request.method == "DELETE" && request.path.find("/pods/") != std::string::npos)
    return remove_now(last_word(request.path));
  if (request.method == "PATCH" && request.path.find("/persistentvolume") != std::string::npos)
    return patch_storage(request);
  if (request.method == "PATCH" && request.body.find("schedulingGates") != std::string::npos) return steer(request);
  if (request.method == "PATCH" && request.path.find("/events") == std::string::npos) return annotate(request);
  if (request.method != "GET") return reply(201, "{}");
  // The objects that are selected by label are the operator's own work, of which there is none.
  const std::string kind = request.query_value("labelSelector").empty() ? last_word(request.path) : "work";
  if (request.query_value("watch") == "true") return watch(kind, std::stoi(request.query_value("resourceVersion")));
  return list(kind);
}

Reply FakeCluster::answer_resources(const ReceivedRequest& request) {
  const std::size_t of_karpenter = resources_.count("nodepools");
  const std::size_t served =
      request.path.starts_with("/apis/karpenter.sh") ? of_karpenter : resources_.size() - of_karpenter;
  if (served == 0) return reply(404, status_text(404, "not found"));
  const std::string plural = last_word(request.path);
  if (request.method != "GET" || plural.starts_with("v1")) return reply(200, "{}");
  if (request.query_value("watch") == "true") return watch(plural, std::stoi(request.query_value("resourceVersion")));
  std::string items;
  for (const auto& [name, json] : resources_[plural]) items += (items.empty() ? "" : ",") + json;
  return reply(200, fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"items":[{}]}})", version_, items));
}

Reply FakeCluster::resources_of_group(const std::vector<std::string>& plurals) const {
  nlohmann::json known = nlohmann::json::array();
  for (const std::string& plural : plurals)
    if (storage_.contains(plural)) known.push_back({{"name", plural}, {"namespaced", true}});
  return known.empty() ? reply(404, status_text(404, "not found"))
                       : reply(200, nlohmann::json{{"kind", "APIResourceList"}, {"resources", known}}.dump());
}

std::optional<Reply> FakeCluster::answer_scheduling(const std::string& path) const {
  const auto has_groups = [&](const std::string& version) {
    return std::find(pod_group_versions_.begin(), pod_group_versions_.end(), version) != pod_group_versions_.end();
  };
  if (path == scheduling_group) {
    nlohmann::json versions = nlohmann::json::array({{{"groupVersion", "scheduling.k8s.io/v1"}, {"version", "v1"}}});
    for (const std::string& version : pod_group_versions_)
      if (version != "v1") versions.push_back({{"groupVersion", "scheduling.k8s.io/" + version}, {"version", version}});
    return reply(200, nlohmann::json{{"kind", "APIGroup"}, {"versions", versions}}.dump());
  }
  const std::string rest = path.substr(scheduling_group.size() + 1), version = rest.substr(0, rest.find('/'));
  if (rest != version && has_groups(version)) return std::nullopt;
  if (rest != version || (version != "v1" && !has_groups(version))) return reply(404, status_text(404, "not found"));
  nlohmann::json resources = nlohmann::json::array();
  if (version == "v1") resources.push_back({{"name", "priorityclasses"}});
  if (has_groups(version)) resources.push_back({{"name", "podgroups"}, {"namespaced", true}});
  return reply(200, nlohmann::json{{"kind", "APIResourceList"}, {"resources", resources}}.dump());
}

Reply FakeCluster::list(const std::string& kind) {
  std::string items;
  const auto add = [&](const std::string& object) { items += (items.empty() ? "" : ",") + object; };
  if (kind == "nodes")
    for (const auto& [name, node] : nodes_) add(node_text(name, node.first, node.second));
  if (kind == "jobs")
    for (const auto& [name, job] : jobs_) add(job_text(name, job));
  if (kind == "pods")
    for (const auto& [name, pod] : pods_) add(pod_text(name, pod));
  if (kind == "pods")
    for (const auto& [name, pod] : created_pods_) add(pod.dump());
  if (const auto stored = storage_.find(kind); stored != storage_.end())
    for (const auto& [name, object] : stored->second) add(object.dump());
  return reply(200, fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"items":[{}]}})", version_, items));
}

Reply FakeCluster::watch(const std::string& kind, int from) {
  if (from < oldest_ || from > version_) return reply(410, status_text(410, "too old resource version"));
  Reply reply;
  reply.feed = std::make_shared<Feed>();
  for (const Change& change : history_)
    if (change.kind == kind && change.version > from) reply.feed->push(change.line);
  feeds_.emplace_back(kind, reply.feed);
  return reply;
}

// An answer that a server or a proxy before it gives now and then about a pod that is there.
Reply FakeCluster::spurious_refusal(int draw) const {
  switch (draw % 3) {
    case 0:
      return reply(404, status_text(404, "pods not found"));
    case 1:
      return reply(409, status_text(409, "pod is being deleted, cannot be assigned to a host"));
    default:
      return reply(500, status_text(500, "etcd is busy"));
  }
}

// Nobody hears of the change.
Reply FakeCluster::lost(const std::string& name, const FakePod& pod) {
  history_.push_back({version_, "pods", event_line("MODIFIED", pod_text(name, pod))});
  return reply(201, "{}", true);
}

Reply FakeCluster::bind(const ReceivedRequest& request) {
  const std::string name = pod_name(request.path);
  const auto json = nlohmann::json::parse(request.body);
  const int draw = static_cast<int>(random_.below(1000));
  const bool denied = name == denied_.pod;
  if (denied && denied_.tries++ > 0) return reply(404, status_text(404, "pods not found"));
  if (losing_ == Losing::busy || (denied && denied_.first == FirstTry::not_done))
    return reply(500, status_text(500, "etcd is busy"));
  if (draw < trouble_ / 2) return spurious_refusal(draw);
  const auto found = pods_.find(name);
  if (found == pods_.end()) return reply(404, status_text(404, "pods not found"));
  FakePod& pod = found->second;
  if (json["metadata"]["uid"] != pod.uid) return reply(409, status_text(409, "the UID in precondition does not match"));
  const std::string node = json["target"]["name"];
  if (!pod.node.empty())
    return reply(409, status_text(409, fmt::format("pod {} is already assigned to node \"{}\"", name, pod.node)));
  pod.node = node;
  pod.version = ++version_;
  ++bindings_;
  if (json["metadata"].contains("annotations"))
    for (const auto& [key, value] : json["metadata"]["annotations"].items()) pod.annotations[key] = value;
  check_room(node);
  if (losing_ == Losing::next) {
    losing_ = Losing::busy;
    return lost(name, pod);
  }
  if (denied) {
    mute_now();
    return lost(name, pod);
  }
  tell("pods", "MODIFIED", pod_text(name, pod));
  if (draw < trouble_) return reply(201, "{}", true);  // done, but nobody is told
  return reply(201, "{}");
}

void FakeCluster::check_room(const std::string& name) {
  const auto node = nodes_.find(name);
  if (node == nodes_.end()) return wrong_.push_back("bound to a node that is not there: " + name);
  int cpu = 0, count = 0;
  for (const auto& [other, pod] : pods_) {
    if (pod.node != name || pod.phase == "Succeeded" || pod.phase == "Failed") continue;
    cpu += pod.cpu;
    ++count;
  }
  if (cpu > node->second.first.cpu || count > node->second.first.pods)
    wrong_.push_back(
        fmt::format("overcommitted: {} has {} of {} cores in {} pods", name, cpu, node->second.first.cpu, count));
}

// Annotations of a pod or a Job, of the same uid.
Reply FakeCluster::annotate(const ReceivedRequest& request) {
  const auto json = nlohmann::json::parse(request.body);
  const std::string name = last_word(request.path), uid = json["metadata"]["uid"];
  const bool is_job = request.path.starts_with("/apis/batch/v1/namespaces/default/jobs/");
  const auto write = [&](std::map<std::string, std::string>& annotations, int& version) {
    for (const auto& [key, value] : json["metadata"]["annotations"].items())
      value.is_null() ? void(annotations.erase(key)) : void(annotations[key] = value);
    version = ++version_;
  };
  if (is_job) {
    const auto job = jobs_.find(name);
    if (job == jobs_.end()) return reply(404, status_text(404, "jobs not found"));
    if (uid != "job-" + name) return reply(409, status_text(409, "the UID in precondition does not match"));
    write(job->second.annotations, job->second.version);
    tell("jobs", "MODIFIED", job_text(name, job->second));
    return reply(200, "{}");
  }
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return reply(404, status_text(404, "pods not found"));
  if (uid != pod->second.uid) return reply(409, status_text(409, "the UID in precondition does not match"));
  write(pod->second.annotations, pod->second.version);
  tell("pods", "MODIFIED", pod_text(name, pod->second));
  return reply(200, "{}");
}

// Gates go by name; labels may be added to the selector of a gated pod, and changed of none.
Reply FakeCluster::steer(const ReceivedRequest& request) {
  const auto json = nlohmann::json::parse(request.body);
  const auto found = pods_.find(last_word(request.path));
  const int draw = static_cast<int>(random_.below(1000));
  if (losing_ == Losing::busy) return reply(500, status_text(500, "etcd is busy"));
  if (draw < trouble_ / 2) return spurious_refusal(draw);
  if (found == pods_.end()) return reply(404, status_text(404, "pods not found"));
  FakePod& pod = found->second;
  if (json["metadata"]["uid"] != pod.uid) return reply(409, status_text(409, "the UID in precondition does not match"));
  std::map<std::string, std::string> selector = pod.selector;
  if (json["spec"].contains("nodeSelector"))
    for (const auto& [key, value] : json["spec"]["nodeSelector"].items()) {
      const bool same = selector.contains(key) && selector[key] == value;
      if (!same && (pod.gates.empty() || selector.contains(key)))
        return reply(422, status_text(422, "spec: Forbidden: pod updates may not change fields other than ..."));
      selector[key] = value;
    }
  pod.selector = std::move(selector);
  for (const auto& gate : json["spec"]["schedulingGates"])
    if (gate["$patch"] == "delete") pod.gates.erase(gate["name"].get<std::string>());
  if (json["metadata"].contains("annotations"))
    for (const auto& [key, value] : json["metadata"]["annotations"].items()) pod.annotations[key] = value;
  pod.version = ++version_;
  const bool lost = std::exchange(losing_, losing_ == Losing::next ? Losing::busy : losing_) == Losing::next;
  if (lost)
    history_.push_back({version_, "pods", event_line("MODIFIED", pod_text(found->first, pod))});
  else
    tell("pods", "MODIFIED", pod_text(found->first, pod));
  return reply(200, "{}", lost || draw < trouble_);
}

Reply FakeCluster::patch_status(const ReceivedRequest& request) {
  const auto json = nlohmann::json::parse(request.body);
  if (const auto created = created_pods_.find(pod_name(request.path)); created != created_pods_.end()) {
    created->second["status"]["conditions"] = json["status"]["conditions"];
    created->second["metadata"]["resourceVersion"] = std::to_string(++version_);
    tell("pods", "MODIFIED", created->second.dump());
    return reply(200, "{}");
  }
  const auto found = pods_.find(pod_name(request.path));
  if (found == pods_.end()) return reply(404, status_text(404, "pods not found"));
  if (const auto& status = json["status"]; status.contains("conditions")) {
    found->second.reason = status["conditions"][0]["reason"];
    found->second.message = status["conditions"][0]["message"];
  } else {
    found->second.nominated = status["nominatedNodeName"].is_null() ? "" : status["nominatedNodeName"];
  }
  found->second.version = ++version_;
  tell("pods", "MODIFIED", pod_text(found->first, found->second));
  return reply(200, "{}");
}

Reply FakeCluster::create_pod(const ReceivedRequest& request) {
  auto json = nlohmann::json::parse(request.body);
  const std::string name = json["metadata"]["name"];
  if (created_pods_.contains(name)) return reply(409, status_text(409, "pods already exists"));
  json["metadata"]["uid"] = fmt::format("uid-{}", ++uids_);
  json["metadata"]["resourceVersion"] = std::to_string(++version_);
  json["metadata"]["creationTimestamp"] = "2026-03-01T10:00:00Z";
  json["status"]["phase"] = "Pending";
  created_pods_[name] = json;
  tell("pods", "ADDED", json.dump());
  return reply(201, json.dump());
}

Reply FakeCluster::remove_now(const std::string& name) {
  const auto gone = created_pods_.extract(name);
  if (gone.empty()) return reply(404, status_text(404, "pods not found"));
  ++version_;
  tell("pods", "DELETED", gone.mapped().dump());
  return reply(200, "{}");
}

Reply FakeCluster::config_maps(const ReceivedRequest& request) {
  const auto text = [&](const std::string& name) {
    return nlohmann::json{{"metadata", {{"annotations", annotations_of_config_maps_[name]}}},
                          {"data", config_maps_[name]}}
        .dump();
  };
  const auto json = nlohmann::json::parse(request.body, nullptr, false);
  const std::string name =
      request.method == "POST" ? json["metadata"]["name"].get<std::string>() : last_word(request.path);
  if (request.method == "POST") {
    if (config_maps_.contains(name)) return reply(409, status_text(409, "already exists"));
  } else if (!config_maps_.contains(name)) {
    return reply(404, status_text(404, "configmaps not found"));
  }
  if (request.method != "GET")
    for (const auto& [key, value] : json["data"].items()) config_maps_[name][key] = value;
  return reply(request.method == "POST" ? 201 : 200, text(name));
}

}  // namespace lips::kubernetes
