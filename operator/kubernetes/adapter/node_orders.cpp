#include "kubernetes/adapter/node_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

constexpr int writes_a_flush = 50;
constexpr Duration after_refusal{60'000'000};
constexpr std::size_t longest_label = 63;
constexpr const char *order_for_namespace = "lips.dev/for-namespace", *order_for_job = "lips.dev/for-job";
constexpr std::string_view no_room = "Unschedulable";  // the reason that autoscalers look for

nlohmann::json requirement_json(const LabelRequirement& requirement) {
  nlohmann::json result{{"key", requirement.key}, {"operator", to_string(requirement.op)}};
  if (!requirement.values.empty()) result["values"] = requirement.values;
  return result;
}

nlohmann::json term_json(const std::vector<LabelRequirement>& requirements, const std::vector<LabelRequirement>& more) {
  nlohmann::json labels = nlohmann::json::array(), names = nlohmann::json::array();
  for (const auto* part : {&requirements, &more})
    for (const LabelRequirement& one : *part)
      (one.key == node_name_key ? names : labels).push_back(requirement_json(one));
  nlohmann::json result = nlohmann::json::object();
  if (!labels.empty()) result["matchExpressions"] = std::move(labels);
  if (!names.empty()) result["matchFields"] = std::move(names);
  return result;
}

// The place, and beside it all that the task requires of a node.
nlohmann::json affinity_json(const NodeOrder& order) {
  std::vector<LabelRequirement> required = order.needs.constraint.required;
  for (const auto& [key, value] : order.place) required.push_back({key, LabelRequirement::Operator::in, {value}});
  nlohmann::json terms = nlohmann::json::array();
  for (const auto& term : order.needs.constraint.any_of) terms.push_back(term_json(required, term));
  if (terms.empty()) terms.push_back(term_json(required, {}));
  return {{"nodeAffinity", {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", terms}}}}}};
}

nlohmann::json tolerations_json(const NodeOrder& order) {
  nlohmann::json result = nlohmann::json::array();
  for (const Toleration& one : order.needs.constraint.tolerations) {
    nlohmann::json json{{"operator", one.exists ? "Exists" : "Equal"}};
    if (!one.key.empty()) json["key"] = one.key;
    if (!one.exists) json["value"] = one.value;
    if (!one.effect.empty()) json["effect"] = one.effect;
    result.push_back(std::move(json));
  }
  return result;
}

// Resources that only schedulers count are left out. Extended ones need a limit of the same amount.
nlohmann::json resources_json(const NodeOrder& order) {
  nlohmann::json requests = nlohmann::json::object(), limits = nlohmann::json::object();
  for (const auto& [name, amount] : order.needs.requests) {
    if (name == "pods" || name.starts_with(volumes_of_driver)) continue;
    const std::string text = name == "cpu" ? fmt::format("{}m", amount) : std::to_string(amount);
    requests[name] = text;
    if (name != "cpu" && name != "memory" && name != "ephemeral-storage") limits[name] = text;
  }
  return {{"requests", std::move(requests)}, {"limits", std::move(limits)}};
}

// Like PodSecurity's profile "restricted" wants it, though it never starts.
nlohmann::json container_json(const NodeOrder& order) {
  return {{"name", "order"},
          {"image", "never-started"},
          {"resources", resources_json(order)},
          {"securityContext", {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", {"ALL"}}}}}}};
}

std::string condition_body(const std::string& order) {
  const nlohmann::json condition{
      {"type", "PodScheduled"},
      {"status", "False"},
      {"reason", no_room},
      {"message", "room for a task that is to start on a new node; the operator removes this pod"}};
  return nlohmann::json{{"metadata", {{"name", order}}},
                        {"status", {{"conditions", nlohmann::json::array({condition})}}}}
      .dump();
}

// The text as a label's value may be: letters, digits, '-', '_' and '.', at most 63.
std::string label_value(const std::string& text) {
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); };
  std::string value;
  for (const char c : text)
    if (value.size() < longest_label) value += plain(c) || c == '-' || c == '_' || c == '.' ? c : '-';
  while (!value.empty() && !plain(value.back())) value.pop_back();
  const auto begin = std::find_if(value.begin(), value.end(), plain);
  return {begin, value.end()};
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string order_body(const OwnedOrder& owned, const NodeOrders::Place& place, const std::string& name) {
  const auto& [order, owner] = owned;
  nlohmann::json labels{{"app.kubernetes.io/managed-by", "lips"}, {"app.kubernetes.io/component", "node-order"}};
  if (!owner.name_space.empty()) labels[order_for_namespace] = owner.name_space;
  if (std::string job = label_value(owner.job); !job.empty()) labels[order_for_job] = std::move(job);
  nlohmann::json metadata{{"name", name}, {"namespace", place.name_space}, {"labels", std::move(labels)}};
  if (!place.owner.uid.empty())
    metadata["ownerReferences"] = nlohmann::json::array(
        {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", place.owner.name}, {"uid", place.owner.uid}}});
  nlohmann::json spec{{"schedulerName", place.scheduler},
                      {"affinity", affinity_json(order)},
                      {"tolerations", tolerations_json(order)},
                      {"containers", nlohmann::json::array({container_json(order)})},
                      {"automountServiceAccountToken", false},
                      {"enableServiceLinks", false},
                      {"terminationGracePeriodSeconds", 0},
                      {"securityContext", {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
  if (!owner.priority_class.empty()) spec["priorityClassName"] = owner.priority_class;
  return nlohmann::json{
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}, {"spec", std::move(spec)}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

NodeOrders::NodeOrders(Surroundings surroundings, Place place)
    : around_(std::move(surroundings)),
      place_(std::move(place)),
      writes_(around_.client, around_.may_act, around_.wake) {}

std::string NodeOrders::path(const std::string& name, std::string_view part) const {
  return fmt::format("/api/v1/namespaces/{}/pods{}{}{}{}", percent_encoded(place_.name_space), name.empty() ? "" : "/",
                     percent_encoded(name), part.empty() ? "" : "/", part);
}

// Equal orders have equal names up to a number, in every process.
void NodeOrders::want(const std::map<OwnedOrder, int>& orders) {
  asked_ = true;
  wanted_.clear();
  for (const auto& [order, count] : orders) {
    const auto shared = std::make_shared<const OwnedOrder>(order);
    const std::string kind = fmt::format("{}-{:016x}", place_.scheduler, hash_of(order_body(order, place_, "")));
    for (int i = 0; i < count && i < static_cast<int>(most_orders); ++i)
      turns_.add(order.owner.name_space, {fmt::format("{}-{}", kind, i), shared});
  }
  turns_.grant_most([this](const auto& wish) { wanted_.insert(wish); });
}

std::size_t NodeOrders::wanted_for(const std::string& name_space) const {
  return static_cast<std::size_t>(std::count_if(wanted_.begin(), wanted_.end(), [&](const auto& wanted) {
    return wanted.second->owner.name_space == name_space;
  }));
}

std::set<NodeOrder> NodeOrders::standing() const {
  std::set<NodeOrder> orders;
  const OwnedOrder* last = nullptr;  // equal ones are neighbours
  for (const auto& [name, order] : wanted_) {
    const auto known = known_.find(name);
    if (order.get() == last || known == known_.end() || !known->second) continue;
    orders.insert((last = order.get())->order);
  }
  return orders;
}

bool NodeOrders::found(const Pod& pod) {
  if (pod.scheduler != place_.scheduler || pod.meta.name_space != place_.name_space) return false;
  if (pod.deleting) {
    known_.erase(pod.meta.name);
  } else {
    if (!known_.contains(pod.meta.name)) writes_.end_hold(pod.meta.name);
    known_[pod.meta.name] = pod.scheduled.reason == no_room;
  }
  return true;
}

void NodeOrders::gone(const ObjectMeta& meta) {
  if (meta.name_space == place_.name_space && known_.erase(meta.name) > 0) writes_.end_hold(meta.name);
}

void NodeOrders::flush(TimePoint now) {
  writes_.collect(now);
  int writes = 0;
  for (const auto& [name, marked] : known_) {
    if (writes == writes_a_flush) return;
    if (!writes_.free(name, now)) continue;
    const bool wanted = wanted_.contains(name);
    if ((wanted && marked) || (!wanted && !asked_)) continue;
    if (wanted)
      writes_.send(name, patch_of(path(name, "status"), condition_body(name)));
    else
      writes_.send(name, deletion_of(path(name) + "?gracePeriodSeconds=0"),
                   [this, gone = name](const Answer&) { settled(gone, false); });
    ++writes;
  }
  for (const auto& [name, order] : wanted_) {
    if (writes == writes_a_flush || !possible(now)) return;
    if (known_.contains(name) || !writes_.free(name, now)) continue;
    create(name, *order, now);
    ++writes;
  }
}

// The watch may have been faster than the answer.
void NodeOrders::settled(const std::string& name, bool there) {
  if (known_.contains(name) == there) writes_.end_hold(name);
}

void NodeOrders::create(const std::string& name, const OwnedOrder& order, TimePoint now) {
  writes_.send(name, creation_of(path(""), order_body(order, place_, name)), [this, name, now](const Answer& answer) {
    settled(name, true);
    if (answer || answer.error().code == ErrorCode::conflict) return;  // it is there
    if (answer.error().code != ErrorCode::invalid_input && answer.error().code != ErrorCode::not_found) return;
    if (std::exchange(refused_until_, now + after_refusal) > now) return;  // another of them was refused
    around_.log.warning("the API server refused to let a node be ordered; autoscalers choose its place meanwhile",
                        {{"pod", place_.name_space + "/" + name}, {"why", answer.error().message}});
  });
}

}  // namespace lips::kubernetes
