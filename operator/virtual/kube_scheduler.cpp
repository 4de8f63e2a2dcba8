#include "virtual/kube_scheduler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/time_text.h"
#include "virtual/kube_filters.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char *all_pods = "/api/v1/pods", *all_nodes = "/api/v1/nodes";
constexpr std::uint64_t ties_stream = 0x6b756265;

bool is_ours(const std::string& scheduler) { return scheduler.empty() || scheduler == "default-scheduler"; }

std::string request_path(const KubePod& pod, const char* part) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}/{}", kubernetes::percent_encoded(pod.name_space),
                     kubernetes::percent_encoded(pod.name), part);
}

// The words of kube-scheduler: each reason with the number of its nodes, in the order of their texts.
std::string words_of(std::size_t nodes, const std::map<std::string, int>& reasons) {
  std::vector<std::string> texts;
  for (const auto& [reason, count] : reasons) texts.push_back(fmt::format("{} {}", count, reason));
  std::sort(texts.begin(), texts.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(texts, ", "));
}

bool may_take(const KubePod& pod, const KubeNode& node) {
  return filter_unschedulable(pod, node).empty() && filter_taints(pod, node).empty() &&
         filter_node_affinity(pod, node).empty();
}

}  // namespace

KubeScheduler::KubeScheduler(ApiServer& server, kubernetes::EventLoop& loop, std::uint64_t seed,
                             KubeSchedulerRules rules)
    : server_(server), loop_(loop), rules_(rules), random_(derive_seed(seed, ties_stream)), queue_(rules.queue) {
  server_.objects().listen(all_nodes, [this](const ObjectChange& change) { note_node(change); });
  server_.objects().listen(all_pods, [this](const ObjectChange& change) { note_pod(change); });
  relist();
}

void KubeScheduler::relist() {
  pods_.clear(), places_.clear(), kinds_.clear();
  queue_ = KubeQueue(rules_.queue);
  for (const auto& [name, node] : server_.objects().all(all_nodes)) note_node({ChangeType::added, node, nullptr});
  for (const auto& [key, pod] : server_.objects().all(all_pods)) note_pod({ChangeType::added, pod, nullptr});
}

// ---- what it watches ----

void KubeScheduler::note_node(const ObjectChange& change) {
  KubeNode node = read_kube_node(*change.now.json);
  Place& place = places_[node.name];
  place.there = change.type != ChangeType::deleted;
  const std::string name = node.name;
  place.room.node = std::move(node);
  if (place.there)
    wake(name);
  else if (place.room.pods == 0)
    places_.erase(name);
}

// Looks no further at a pod that is on a node until it ends: nothing here resizes pods. The movers' pods run without a
// node (movers.h).
void KubeScheduler::note_pod(const ObjectChange& change) {
  const Json& object = *change.now.json;
  const std::string key = key_of(object), phase = text_in(look_in(object, "status"), "phase");
  if (change.type == ChangeType::deleted || phase == "Succeeded" || phase == "Failed") return forget(key);
  const auto known = pods_.find(key);
  if (known != pods_.end() && !known->second.pod.node.empty()) return;
  const auto spec = object.find("spec");
  const bool waits = spec == object.end() || text_in(*spec, "nodeName").empty();
  if (waits && phase == "Running") return forget(key);
  if (waits && spec != object.end() && !is_ours(text_in(*spec, "schedulerName"))) return;
  take(read_kube_pod(object));
}

void KubeScheduler::take(KubePod pod) {
  const std::string key = pod.key;
  Kind& kind = kinds_[std::exchange(pod.kind, "")];
  const auto [known, fresh] = pods_.try_emplace(key);
  const bool other = fresh || known->second.kind != &kind || known->second.pod.priority != pod.priority ||
                     known->second.pod.gated != pod.gated;
  known->second = {std::move(pod), &kind};
  const KubePod& now = known->second.pod;
  if (!now.node.empty()) {
    queue_.remove(key);
    places_[now.node].room.put(now);
  } else if (now.gated || now.deleting) {
    queue_.remove(key);
  } else if (other) {
    queue_.add(key, now.priority);
    expect_next();
  }
}

void KubeScheduler::forget(const std::string& key) {
  queue_.remove(key);
  const auto known = pods_.find(key);
  if (known == pods_.end()) return;
  const KubePod pod = std::move(known->second.pod);
  pods_.erase(known);
  if (pod.node.empty()) return;
  Place& place = places_[pod.node];
  place.room.take_away(pod);
  if (place.there)
    wake(pod.node);
  else if (place.room.pods == 0)
    places_.erase(pod.node);
}

// The node is new or another, or has more room.
void KubeScheduler::wake(const std::string& name) {
  ++news_;
  const KubeNode& node = places_.at(name).room.node;
  std::map<const Kind*, bool> helped;
  const auto helps = [&](const std::string& key) {
    const Known& known = pods_.at(key);
    const auto [place, fresh] = helped.try_emplace(known.kind, false);
    if (fresh) place->second = may_take(known.pod, node);
    return place->second;
  };
  queue_.wake(helps, loop_.now());
  expect_next();
}

// ---- what it does ----

void KubeScheduler::expect_next() {
  const TimePoint now = loop_.now(), next = queue_.next(now);
  if (next == TimePoint::max()) return;
  const TimePoint when = next + rules_.attempt;
  if (next_ && next_at_ <= when) return;
  if (next_) loop_.cancel(*next_);
  next_at_ = when;
  next_ = loop_.at(when, [this] { try_next(); });
}

// One attempt; those of a kind for which nothing has changed since its last attempt need none.
void KubeScheduler::try_next() {
  next_.reset();
  while (const std::optional<std::string> key = queue_.pop(loop_.now())) {
    const Known known = pods_.at(*key);
    if (known.kind->found_none_at != news_) {
      attempt(known);
      break;
    }
    refuse(known.pod, known.kind->why);
  }
  expect_next();
}

bool KubeScheduler::has_nodes() const {
  return std::any_of(places_.begin(), places_.end(), [](const auto& place) { return place.second.there; });
}

void KubeScheduler::attempt(const Known& known) {
  std::string why_not;
  const std::string node = choose(known.pod, why_not);
  if (!node.empty()) return bind(known.pod, node);
  known.kind->found_none_at = news_;
  known.kind->why = why_not;
  refuse(known.pod, why_not);
}

std::string KubeScheduler::choose(const KubePod& pod, std::string& why_not) {
  KubeRooms rooms;
  std::map<std::string, int> reasons;
  std::size_t nodes = 0;
  for (const auto& [name, place] : places_) {
    if (!place.there) continue;
    ++nodes;
    const KubeReasons found = why_filtered(pod, place.room);
    for (const std::string& reason : found) ++reasons[reason];
    if (found.empty()) rooms.push_back(&place.room);
  }
  if (rooms.empty()) {
    why_not = nodes == 0 ? "no nodes available to schedule pods" : words_of(nodes, reasons);
    return "";
  }
  const std::vector<std::int64_t> scores = kube_scores(pod, rooms, rules_.scoring);
  const std::int64_t best = *std::max_element(scores.begin(), scores.end());
  KubeRooms alike;
  for (std::size_t i = 0; i < rooms.size(); ++i)
    if (scores[i] == best) alike.push_back(rooms[i]);
  return alike[random_.below(alike.size())]->node.name;
}

void KubeScheduler::bind(const KubePod& pod, const std::string& node) {
  kubernetes::ApiRequest request;
  request.verb = kubernetes::Verb::create;
  request.path = request_path(pod, "binding");
  request.body = Json{{"apiVersion", "v1"},
                      {"kind", "Binding"},
                      {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}, {"uid", pod.uid}}},
                      {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}}
                     .dump();
  // note_pod() has been told of the new node by the time that there is an answer.
  if (server_.handle(request, ApiServer::Caller::controller).code != 201) queue_.put_back(pod.key, loop_.now());
}

// A message that stands there already is not written again. Where there is no node no filter has refused the pod, so no
// event wakes it: it comes back after its back-off, and the youngest pods come back first.
void KubeScheduler::refuse(const KubePod& pod, const std::string& why) {
  if (has_nodes())
    queue_.put_off(pod.key, loop_.now());
  else
    queue_.put_back(pod.key, loop_.now());
  if (pod.said == why) return;
  const Json condition{{"type", "PodScheduled"},
                       {"status", "False"},
                       {"reason", "Unschedulable"},
                       {"message", why},
                       {"lastTransitionTime", kubernetes::time_text(loop_.now())}};
  kubernetes::ApiRequest request;
  request.verb = kubernetes::Verb::patch;
  request.path = request_path(pod, "status");
  request.content_type = kubernetes::strategic_merge_patch;
  request.body = Json{{"metadata", {{"uid", pod.uid}}}, {"status", {{"conditions", Json::array({condition})}}}}.dump();
  server_.handle(request, ApiServer::Caller::controller);
}

}  // namespace lips::virtual_cluster
