#include "tests/virtual/storms/disasters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tests/virtual/storms/strangers.h"
#include "tests/virtual/storms/weather.h"
#include "virtual/disruption_budgets.h"
#include "virtual/quota_admission.h"

namespace lips::virtual_cluster::storms {
namespace {

constexpr const char *all_nodes = "/api/v1/nodes", *pools_path = "/apis/lips.dev/v1alpha1/pools";
constexpr Duration they_administrate = std::chrono::minutes(15);

constexpr const char* custom = "/apis/lips.dev/v1alpha1/";

// Kinds without which jobs still end.
constexpr const char* dispensable[] = {"/api/v1/resourcequotas",
                                       "/api/v1/persistentvolumeclaims",
                                       "/api/v1/persistentvolumes",
                                       "/apis/batch/v1/cronjobs",
                                       "/apis/storage.k8s.io/v1/storageclasses",
                                       "/apis/storage.k8s.io/v1/csinodes",
                                       "/apis/storage.k8s.io/v1/csistoragecapacities",
                                       "/apis/events.k8s.io/v1/events",
                                       "/apis/lips.dev/v1alpha1/pools",
                                       "/apis/lips.dev/v1alpha1/datamoves"};

// Nobody else says where replicas are.
bool must_be_kept(const std::string& field) { return field == "replicas"; }

bool is_drawn(std::uint64_t seed, const std::string& text, double share) {
  const std::uint64_t number =
      std::accumulate(text.begin(), text.end(), std::uint64_t{1},
                      [](std::uint64_t sum, char letter) { return sum * 31 + static_cast<unsigned char>(letter); });
  return Random(derive_seed(seed, number)).uniform() < share;
}

}  // namespace

void Disasters::begin(VirtualKubernetes& cluster, const simulation::Scenario& scenario,
                      std::function<void()> restored) {
  cluster_ = &cluster;
  begun_ = cluster.loop().now();
  restored_ = std::move(restored);
  states_.use(cluster.loop());
  cluster.set_patience(std::chrono::hours(3));
  if (storm_.has[Trouble::restore]) restore();
  if (storm_.has[Trouble::rights]) take_rights();
  if (storm_.has[Trouble::fields]) drop_a_field();
  if (storm_.has[Trouble::kinds]) hide_a_kind();
  if (storm_.has[Trouble::administrator]) administrate();
  if (storm_.has[Trouble::quotas]) set_quotas(scenario);
  if (storm_.has[Trouble::budgets]) set_budgets(scenario);
  const Outage outage = weather_of(storm_, begun_).outage;
  if (outage.end > begun_) cluster.loop().at(outage.end, [&cluster] { cluster.server().objects().compact(); });
}

void Disasters::restore() {
  const Restore when = *restore_of(storm_, begun_);
  cluster_->loop().at(when.saved, [this] { backup_ = cluster_->server().objects().backup(); });
  cluster_->loop().at(when.back, [this, gap = when.gap] {
    cluster_->restore(backup_, gap);
    restored_();
  });
  cluster_->loop().at(when.back + std::chrono::seconds(60), [this] { confirm(); });
}

// A person confirms again and again while the state asks for it.
void Disasters::confirm() {
  if (cluster_->over()) return;
  cluster_->loop().at(cluster_->loop().now() + std::chrono::seconds(30), [this] { confirm(); });
  if (states_.seen().empty() || states_.seen().back().state.doing != Doing::moves_suspended) return;
  drills::confirm_restore(*cluster_, states_);
}

// Some verbs of some kinds, for minutes, some of them twice.
void Disasters::take_rights() {
  struct Window {
    TimePoint from, to;
    std::uint64_t seed;
    double share;
  };
  Random random = storm_.random(Trouble::rights);
  std::vector<Window> windows(1 + random.below(3));
  for (Window& window : windows) {
    window.from = begun_ + seconds(random.uniform(0, 600));
    window.to = window.from + seconds(random.uniform(10, 300));
    window.seed = random.bits();
    window.share = random.uniform(0, 0.6);
  }
  cluster_->server().authorize_by([windows, &loop = cluster_->loop()](const ApiServer::Access& access) {
    const std::string words = fmt::format("{} {} {}", verb_name(access.verb), access.collection, access.part);
    return std::none_of(windows.begin(), windows.end(), [&](const Window& window) {
      return window.from <= loop.now() && loop.now() < window.to && is_drawn(window.seed, words, window.share);
    });
  });
}

void Disasters::drop_a_field() {
  cluster_->server().prune_by([seed = storm_.seed](const std::string& collection, Json& object) {
    if (!collection.starts_with(custom) || !object.contains("status") || !object["status"].is_object()) return;
    std::set<std::string> dropped;
    for (const auto& [name, value] : object["status"].items())
      if (!must_be_kept(name) && is_drawn(seed, collection + name, 0.15)) dropped.insert(name);
    for (const std::string& name : dropped) object["status"].erase(name);
  });
}

void Disasters::hide_a_kind() {
  Random random = storm_.random(Trouble::kinds);
  cluster_->server().hide(dispensable[random.below(std::size(dispensable))]);
}

// In the end all is as before.
void Disasters::administrate() {
  ObjectStore& objects = cluster_->server().objects();
  if (cluster_->over()) return;
  const bool last = cluster_->loop().now() - begun_ > they_administrate;
  const auto any = [&](const ObjectStore::Objects& all) {
    return std::next(all.begin(), static_cast<std::ptrdiff_t>(administrator_.below(all.size())))->first;
  };
  const auto change_node = [&](const std::string& name, bool undo) {
    Json node = *objects.find(all_nodes, name)->json;
    Json kept = Json::array();
    for (const Json& taint : look_in(node["spec"], "taints"))
      if (text_in(taint, "key") != "administrator") kept.push_back(taint);
    const double what = undo ? 1 : administrator_.uniform();
    if (undo) node["spec"].erase("unschedulable");
    if (what < 0.4) node["spec"]["unschedulable"] = !node["spec"].contains("unschedulable");
    if (what > 0.4 && what < 0.7)
      kept.push_back({{"key", "administrator"}, {"value", "looks"}, {"effect", "NoSchedule"}});
    if (what > 0.7 && what < 1)
      node["metadata"]["annotations"]["lips.dev/usd-per-hour"] =
          administrator_.uniform() < 0.2 ? "cheap" : fmt::format("{}", administrator_.exponential(0.5));
    node["spec"]["taints"] = std::move(kept);
    objects.put(all_nodes, name, std::move(node));
  };
  const auto change_pool = [&](const std::string& name) {
    Json pool = *objects.find(pools_path, name)->json;
    pool["spec"]["weight"] = administrator_.below(5);
    pool["spec"]["minimum"] = administrator_.below(9);
    pool["spec"]["reclaim"] = administrator_.uniform() < 0.5 ? "never" : "fromBorrowers";
    objects.put(pools_path, name, std::move(pool));
  };
  if (last) {
    std::vector<std::string> nodes;
    for (const auto& [name, node] : objects.all(all_nodes)) nodes.push_back(name);
    for (const std::string& name : nodes) change_node(name, true);
    return;
  }
  if (!objects.all(all_nodes).empty() && administrator_.uniform() < 0.7)
    change_node(any(objects.all(all_nodes)), administrator_.uniform() < 0.3);
  else if (!objects.all(pools_path).empty())
    change_pool(any(objects.all(pools_path)));
  cluster_->loop().at(cluster_->loop().now() + seconds(administrator_.exponential(20)), [this] { administrate(); });
}

// Reduces wait for maps and count as pods meanwhile: each quota has room for all of them and a map.
void Disasters::set_quotas(const simulation::Scenario& scenario) {
  Random random = storm_.random(Trouble::quotas);
  struct Need {
    std::uint32_t reduces = 0;
    double cores = 1;
  };
  std::map<std::string, Need> needs{{Strangers::name_space, {}}};
  for (const JobArrived& job : scenario.jobs) {
    Need& need = needs[pool_name(scenario, job.job.pool)];
    need.reduces += job.job.reduce_tasks;
    need.cores = std::max(need.cores, job.job.request.cpu.value());
  }
  for (const auto& [name_space, need] : needs) {
    if (random.uniform() < 0.3) continue;
    const std::uint64_t pods = need.reduces + 1 + random.below(12);
    Json hard{{"pods", std::to_string(pods)}};
    if (random.uniform() < 0.5)
      hard["requests.cpu"] = std::to_string(static_cast<int>(std::ceil(static_cast<double>(pods) * need.cores)));
    cluster_->loop().at(begun_ + seconds(random.uniform(0, 300)), [this, name_space = name_space, hard] {
      ObjectStore& objects = cluster_->server().objects();
      objects.create(quotas_path,
                     {{"apiVersion", "v1"},
                      {"kind", "ResourceQuota"},
                      {"metadata", {{"name", "few"}, {"namespace", name_space}}},
                      {"spec", {{"hard", hard}}}},
                     cluster_->loop().now());
    });
  }
}

// No running pod of half of the jobs may be evicted.
void Disasters::set_budgets(const simulation::Scenario& scenario) {
  Random random = storm_.random(Trouble::budgets);
  for (std::uint32_t job = 0; job < scenario.jobs.size(); ++job) {
    if (random.uniform() < 0.5) continue;
    const std::string name = job_name(scenario, {JobId(job), TaskKind::map});
    cluster_->server().objects().create(
        budgets_path,
        {{"apiVersion", "policy/v1"},
         {"kind", "PodDisruptionBudget"},
         {"metadata", {{"name", name}, {"namespace", pool_name(scenario, scenario.jobs[job].job.pool)}}},
         {"spec", {{"selector", {{"matchLabels", {{"batch.kubernetes.io/job-name", name}}}}}}},
         {"status", {{"disruptionsAllowed", 0}, {"observedGeneration", 1}}}},
        cluster_->loop().now());
  }
}

}  // namespace lips::virtual_cluster::storms
