#include "virtual/quota_admission.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <vector>

#include "virtual/kube_objects.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::string_view requests_prefix = "requests.";

// Amounts of a quota by their names there: cpu in thousandths of a core.
using Usage = std::map<std::string, std::int64_t>;

bool is_number_of_pods(const std::string& name) { return name == "pods" || name == "count/pods"; }
// The resource that a pod requests; empty: the name is of something else.
std::string requested(const std::string& name) {
  if (name.starts_with(requests_prefix)) return name.substr(requests_prefix.size());
  return name == "cpu" || name == "memory" ? name : "";
}
bool is_counted(const std::string& name) { return is_number_of_pods(name) || !requested(name).empty(); }

std::int64_t taken_by(const KubePod& pod, const std::string& name) {
  return is_number_of_pods(name) ? 1 : pod.requests.of(requested(name));
}

Usage read_usage(const Json& list) {
  Usage usage;
  if (!list.is_object()) return usage;
  for (const auto& [name, text] : list.items()) {
    if (!is_counted(name)) continue;
    const std::string resource = is_number_of_pods(name) ? "pods" : requested(name);
    usage[name] = read_amounts(Json{{resource, text}}).of(resource);
  }
  return usage;
}

// The canonical form of a quantity.
std::string text_of(const std::string& name, std::int64_t amount) {
  if (requested(name) == "cpu")
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : std::to_string(amount) + "m";
  constexpr std::pair<std::int64_t, const char*> units[] = {
      {1LL << 40, "Ti"}, {1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}};
  if (requested(name) == "memory")
    for (const auto& [size, unit] : units)
      if (amount != 0 && amount % size == 0) return std::to_string(amount / size) + unit;
  return std::to_string(amount);
}

std::string words_of(const Usage& usage) {
  std::string words;
  for (const auto& [name, amount] : usage)
    words += fmt::format("{}{}={}", words.empty() ? "" : ",", name, text_of(name, amount));
  return words;
}

Json json_of(const Usage& usage) {
  Json json = Json::object();
  for (const auto& [name, amount] : usage) json[name] = text_of(name, amount);
  return json;
}

struct Quota {
  std::string key, name;
  Usage hard, used;  // of its status
};

std::vector<Quota> quotas_of(const ObjectStore& objects, const std::string& name_space) {
  std::vector<Quota> quotas;
  if (!objects.serves(quotas_path)) return quotas;
  for (const auto& [key, stored] : objects.all(quotas_path)) {
    const Json &spec = look_in(*stored.json, "spec"), &status = look_in(*stored.json, "status");
    if (!key.starts_with(name_space + '/') || spec.contains("scopes") || spec.contains("scopeSelector")) continue;
    quotas.push_back({key, key.substr(name_space.size() + 1), read_usage(look_in(status, "hard")),
                      read_usage(look_in(status, "used"))});
  }
  return quotas;
}

void write_usage(ObjectStore& objects, const std::string& key, const char* field, const Usage& usage) {
  Json quota = *objects.find(quotas_path, key)->json;
  quota["status"][field].update(json_of(usage));
  objects.put(quotas_path, key, std::move(quota));
}

// "memory for: main; requests.cpu for: main": containers that say nothing of what the quota limits.
std::string left_unsaid(const Json& pod, const Usage& hard) {
  std::string words;
  for (const auto& [name, most] : hard) {
    const std::string resource = requested(name);
    if (resource != "cpu" && resource != "memory") continue;
    std::string silent;
    for (const char* kind : {"initContainers", "containers"})
      for (const Json& container : look_in(look_in(pod, "spec"), kind)) {
        const Json& requests = look_in(look_in(container, "resources"), "requests");
        if (!requests.is_object() || !requests.contains(resource))
          silent += (silent.empty() ? "" : ",") + text_in(container, "name");
      }
    if (!silent.empty()) words += fmt::format("{}{} for: {}", words.empty() ? "" : "; ", name, silent);
  }
  return words;
}

}  // namespace

std::string admit_by_quotas(ObjectStore& objects, const Json& json) {
  const std::vector<Quota> quotas = quotas_of(objects, text_in(look_in(json, "metadata"), "namespace"));
  if (quotas.empty()) return "";
  const KubePod pod = read_kube_pod(json);
  for (const Quota& quota : quotas) {
    if (const std::string unsaid = left_unsaid(json, quota.hard); !unsaid.empty())
      return fmt::format("failed quota: {}: must specify {}", quota.name, unsaid);
    Usage asked, used, limited;
    for (const auto& [name, most] : quota.hard) {
      const std::int64_t more = taken_by(pod, name), now = quota.used.contains(name) ? quota.used.at(name) : 0;
      if (more > 0 && now + more > most) asked[name] = more, used[name] = now, limited[name] = most;
    }
    if (!asked.empty())
      return fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name, words_of(asked),
                         words_of(used), words_of(limited));
  }
  for (const Quota& quota : quotas) {
    Usage used = quota.used;
    for (const auto& [name, most] : quota.hard) used[name] += taken_by(pod, name);
    if (!quota.hard.empty()) write_usage(objects, quota.key, "used", used);
  }
  return "";
}

void count_quotas(ObjectStore& objects, const std::string& name_space) {
  std::vector<std::string> keys;
  for (const Quota& quota : quotas_of(objects, name_space)) keys.push_back(quota.key);
  for (const std::string& key : keys) {
    const Usage hard = read_usage(look_in(look_in(*objects.find(quotas_path, key)->json, "spec"), "hard"));
    Usage used;
    for (const auto& [name, most] : hard) used[name] = 0;
    const ObjectStore::Objects& pods = objects.all(pods_of_quotas);
    for (auto place = pods.lower_bound(name_space + '/'); place != pods.end(); ++place) {
      if (!place->first.starts_with(name_space + '/')) break;
      const KubePod pod = read_kube_pod(*place->second.json);
      if (pod.ended) continue;
      for (auto& [name, amount] : used) amount += taken_by(pod, name);
    }
    write_usage(objects, key, "hard", hard);
    write_usage(objects, key, "used", used);
  }
}

}  // namespace lips::virtual_cluster
