#include "tests/virtual/storms/strangers.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "kubernetes/data/mover_objects.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::virtual_cluster::storms {
namespace {

namespace annotation = kubernetes::annotation;

constexpr const char *pods_path = "/api/v1/pods", *nodes_path = "/api/v1/nodes", *jobs_path = "/apis/batch/v1/jobs",
                     *data_sets_path = "/apis/lips.dev/v1alpha1/datasets";
constexpr Duration they_stay = std::chrono::minutes(12);

template <std::size_t count>
const char* one_of(Random& random, const char* const (&words)[count]) {
  return words[random.below(count)];
}

constexpr const char* cpus[] = {"100m", "250m", "1", "0.3", "1e1", "500", "1000000", "1n", "0"};
constexpr const char* memories[] = {"1Mi", "64M", "2Gi", "1e9", "900Gi", "128974848000m", "0", "8Ei"};
constexpr const char* values[] = {"",      "0",       "-1",   "1",         "12 apples", "NaN",       "inf",   "1e308",
                                  "1e-30", "1000000", "true", "12.5Mi",    "3h",        "0.5s",      "06:00", "24:00",
                                  "map",   "reduce",  "null", "{\"a\":1}", "../..",     "strangers", "Ω",     "  7 "};
constexpr const char* said_by_tenants[] = {annotation::pool,
                                           annotation::data_set,
                                           annotation::cpu,
                                           annotation::cpu_per_mebibyte,
                                           annotation::run_time,
                                           annotation::shuffle,
                                           annotation::tasks,
                                           annotation::stage,
                                           annotation::job,
                                           annotation::complete_by,
                                           annotation::max_wait,
                                           annotation::mounted_at,
                                           annotation::expected_at,
                                           annotation::expected_chance,
                                           "batch.kubernetes.io/job-completion-index"};
constexpr const char* said_by_operator[] = {annotation::read_from,     annotation::input,     annotation::memory,
                                            annotation::finished_maps, annotation::memory_of, annotation::steered,
                                            annotation::capacity_type, annotation::division,  annotation::kept_for,
                                            annotation::do_not_disrupt};
constexpr const char* labels_of_operator[] = {kubernetes::move_label, kubernetes::role_label, kubernetes::store_label,
                                              kubernetes::data_set_label};

std::string value(Random& random) {
  if (random.uniform() < 0.03) return std::string(1 + random.below(20'000), '9');
  return one_of(random, values);
}

}  // namespace

Strangers::Strangers(const StormCase& storm, std::vector<std::string> data_sets)
    : careless_(storm.has[Trouble::careless]),
      hostile_(storm.has[Trouble::hostile]),
      mode_(mode_of(scene_of(storm.seed))),
      data_sets_(std::move(data_sets)),
      carelessness_(storm.random(Trouble::careless)),
      malice_(storm.random(Trouble::hostile)),
      kubelet_(derive_seed(storm.seed, 99)) {}

void Strangers::begin(VirtualKubernetes& cluster) {
  if (!careless_ && !hostile_) return;
  cluster_ = &cluster;
  leaves_ = cluster.loop().now() + they_stay;
  cluster.server().objects().listen(pods_path, [this](const ObjectChange& change) { follow(change); });
  cluster.loop().at(cluster.loop().now() + seconds(1), [this] { act(); });
}

void Strangers::act() {
  collect_pods_of_lost_nodes();
  const TimePoint now = cluster_->loop().now();
  if (now > leaves_) {
    leave();
    // Objects that were on their way when they left go as well.
    if (now < leaves_ + they_stay) cluster_->loop().at(now + std::chrono::seconds(60), [this] { act(); });
    return;
  }
  if (careless_) be_careless(carelessness_);
  if (hostile_) be_hostile(malice_);
  cluster_->loop().at(now + seconds(kubelet_.exponential(6)), [this] { act(); });
}

void Strangers::be_careless(Random& random) {
  const double what = random.uniform();
  if (what < 0.5) {
    for (std::uint64_t left = random.uniform() < 0.1 ? 1 + random.below(12) : 1; left > 0; --left)
      make_pod(random, false);
  } else if (what < 0.6) {
    delete_pod(random);
  } else if (what < 0.75) {
    change_pod(random);
  } else if (what < 0.9) {
    make_data_set(random);
  } else {
    make_job(random);
  }
}

void Strangers::be_hostile(Random& random) {
  const double what = random.uniform();
  if (what < 0.6) return make_pod(random, true);
  const std::string pod = any_pod(random);
  if (pod.empty()) return;
  const std::string path = fmt::format("/api/v1/namespaces/{}/pods/{}", name_space, pod);
  if (what < 0.8) {  // lies about its state
    const Json status{{"phase", one_of(random, {"Pending", "Running", "Unknown", "Succeeded", "Failed", "Sleeping"})},
                      {"message", value(random)},
                      {"conditions", Json::array({{{"type", "PodScheduled"},
                                                   {"status", one_of(random, {"True", "False"})},
                                                   {"reason", one_of(random, {"Unschedulable", "SchedulingGated", ""})},
                                                   {"message", value(random)}}})}};
    return ask(kubernetes::Verb::patch, path + "/status", {{"status", status}});
  }
  Json metadata = Json::object();
  say_what_only_the_operator_says(random, metadata);
  ask(kubernetes::Verb::patch, path, {{"metadata", metadata}});
}

// ---- their objects ----

Json Strangers::pod(Random& random) const {
  Json requests = Json::object();
  if (random.uniform() < 0.8) requests["cpu"] = one_of(random, cpus);
  if (random.uniform() < 0.5) requests["memory"] = one_of(random, memories);
  if (random.uniform() < 0.1) requests["example.com/unheard-of"] = "1";
  Json spec{
      {"containers", Json::array({{{"name", "main"}, {"image", "strange"}, {"resources", {{"requests", requests}}}}})}};
  const bool for_us = random.uniform() < 0.9, gated = mode_ == PodMode::steer && random.uniform() < 0.9;
  spec["schedulerName"] = for_us == (mode_ == PodMode::bind) ? "lips" : "default-scheduler";
  if (gated) spec["schedulingGates"].push_back({{"name", kubernetes::zone_gate}});
  if (random.uniform() < 0.05) spec["schedulingGates"].push_back({{"name", "example.com/never"}});
  if (random.uniform() < 0.1) spec["nodeSelector"] = {{"example.com/unheard-of", "1"}};
  if (random.uniform() < 0.1) spec["priority"] = random.uniform() < 0.5 ? 2'000'000'000 : -2'000'000'000;
  if (random.uniform() < 0.1) spec["preemptionPolicy"] = "Never";
  if (random.uniform() < 0.1) spec["tolerations"] = Json::array({{{"operator", "Exists"}}});
  if (random.uniform() < 0.1) spec["terminationGracePeriodSeconds"] = random.below(100'000);
  return spec;
}

void Strangers::say_what_makes_no_sense(Random& random, Json& annotations) const {
  if (random.uniform() < 0.3) annotations[annotation::data_set] = any_data_set(random);
  for (std::uint64_t left = random.below(4); left > 0; --left)
    annotations[one_of(random, said_by_tenants)] = value(random);
}

void Strangers::say_what_only_the_operator_says(Random& random, Json& metadata) const {
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left)
    metadata["annotations"][one_of(random, said_by_operator)] =
        random.uniform() < 0.3 ? any_node(random) : value(random);
  if (random.uniform() < 0.3)
    metadata["labels"][one_of(random, labels_of_operator)] = one_of(random, {"copy", "drop", "serve", "1"});
  if (random.uniform() < 0.1) metadata["labels"]["app.kubernetes.io/component"] = "node-order";
  if (random.uniform() < 0.1) metadata["labels"]["app.kubernetes.io/managed-by"] = "lips";
  if (random.uniform() < 0.05) metadata["finalizers"] = Json::array({"lips.dev/copies"});
}

void Strangers::make_pod(Random& random, bool hostile) {
  Json metadata{{"name", fmt::format("pod-{}", made_++)}, {"namespace", name_space}, {"annotations", Json::object()}};
  say_what_makes_no_sense(random, metadata["annotations"]);
  if (hostile) say_what_only_the_operator_says(random, metadata);
  if (random.uniform() < 0.4)  // by a Job that there is or not
    metadata["ownerReferences"] = Json::array({{{"apiVersion", "batch/v1"},
                                                {"kind", one_of(random, {"Job", "Job", "ReplicaSet", "Thing"})},
                                                {"name", fmt::format("job-{}", random.below(4))},
                                                {"uid", fmt::format("uid-{}", random.below(4))},
                                                {"controller", random.uniform() < 0.9}}});
  Json spec = pod(random);
  if (hostile && random.uniform() < 0.15) spec["nodeName"] = any_node(random);
  if (hostile && random.uniform() < 0.1)
    spec["containers"][0]["env"] = Json::array({{{"name", "A"}, {"value", std::string(random.below(50'000), 'x')}}});
  ask(kubernetes::Verb::create, fmt::format("/api/v1/namespaces/{}/pods", name_space),
      {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}, {"spec", std::move(spec)}});
}

void Strangers::make_data_set(Random& random) {
  const std::string name = fmt::format("data-{}", random.below(3));
  const std::string all = fmt::format("/apis/lips.dev/v1alpha1/namespaces/{}/datasets", name_space);
  if (random.uniform() < 0.3) return ask(kubernetes::Verb::remove, all + '/' + name);
  Json files = Json::array();
  for (std::uint64_t left = random.below(3); left > 0; --left)
    files.push_back(
        {{"path", one_of(random, {"a", "b/c", "", "../../etc/passwd", "/", "strangers/a", "strangers/data"})},
         {"size", one_of(random, {"0", "1", "64Mi", "9223372036854775807", "-5", "many"})}});
  std::vector<std::string> stores;
  for (const auto& [store, object] : cluster_->server().objects().all("/apis/lips.dev/v1alpha1/datastores"))
    stores.push_back(store);
  Json held = Json::array();
  for (std::uint64_t left = random.below(3); left > 0 && !stores.empty(); --left)
    held.push_back({{"name", random.uniform() < 0.8 ? stores[random.below(stores.size())] : "nowhere"},
                    {"blocks", one_of(random, {"0", "0-3", "0-4294967295", "7-2", "x", ""})}});
  Json readers = Json::array({one_of(random, {"*", "strangers", "", "second"})});
  ask(kubernetes::Verb::create, all,
      {{"apiVersion", "lips.dev/v1alpha1"},
       {"kind", "DataSet"},
       {"metadata", {{"name", name}, {"namespace", name_space}}},
       {"spec",
        {{"files", std::move(files)},
         {"blockSize", one_of(random, {"1", "64Mi", "0", "-1", "8Ei"})},
         {"readers", std::move(readers)},
         {"stores", std::move(held)}}}});
}

void Strangers::make_job(Random& random) {
  const std::string name = fmt::format("job-{}", random.below(4));
  const std::string all = fmt::format("/apis/batch/v1/namespaces/{}/jobs", name_space);
  if (random.uniform() < 0.3) return ask(kubernetes::Verb::remove, all + '/' + name);
  Json metadata{{"name", name}, {"namespace", name_space}, {"annotations", Json::object()}};
  say_what_makes_no_sense(random, metadata["annotations"]);
  if (hostile_) say_what_only_the_operator_says(random, metadata);
  metadata.erase("finalizers");
  const auto count = [&] {
    return static_cast<std::int64_t>(random.uniform() < 0.3 ? 1'000'000'000 : random.below(20));
  };
  ask(kubernetes::Verb::create, all,
      {{"apiVersion", "batch/v1"},
       {"kind", "Job"},
       {"metadata", std::move(metadata)},
       {"spec",
        {{"completions", count()},
         {"parallelism", count()},
         {"completionMode", one_of(random, {"Indexed", "NonIndexed"})},
         {"suspend", random.uniform() < 0.2},
         {"template", {{"spec", pod(random)}}}}}});
}

void Strangers::change_pod(Random& random) {
  const std::string pod = any_pod(random);
  if (pod.empty()) return;
  Json annotations = Json::object();
  say_what_makes_no_sense(random, annotations);
  ask(kubernetes::Verb::patch, fmt::format("/api/v1/namespaces/{}/pods/{}", name_space, pod),
      {{"metadata",
        {{"annotations", std::move(annotations)}, {"labels", {{"turn", std::to_string(random.below(9))}}}}}});
}

void Strangers::delete_pod(Random& random) {
  if (const std::string pod = any_pod(random); !pod.empty())
    ask(kubernetes::Verb::remove, fmt::format("/api/v1/namespaces/{}/pods/{}", name_space, pod));
}

void Strangers::leave() {
  ObjectStore& objects = cluster_->server().objects();
  for (const char* collection : {pods_path, jobs_path, data_sets_path}) {
    std::vector<std::string> theirs;
    for (const auto& [key, object] : objects.all(collection))
      if (key.starts_with(std::string(name_space) + '/')) theirs.push_back(key);
    for (const std::string& key : theirs) objects.remove(collection, key);
  }
}

std::string Strangers::any_pod(Random& random) const {
  std::vector<std::string> theirs;
  const std::string prefix = std::string(name_space) + '/';
  for (const auto& [key, pod] : cluster_->server().objects().all(pods_path))
    if (key.starts_with(prefix)) theirs.push_back(key.substr(prefix.size()));
  return theirs.empty() ? "" : theirs[random.below(theirs.size())];
}

std::string Strangers::any_node(Random& random) const {
  const ObjectStore::Objects& nodes = cluster_->server().objects().all(nodes_path);
  if (nodes.empty()) return "nowhere";
  return std::next(nodes.begin(), static_cast<std::ptrdiff_t>(random.below(nodes.size())))->first;
}

std::string Strangers::any_data_set(Random& random) const {
  if (!data_sets_.empty() && random.uniform() < 0.5) return data_sets_[random.below(data_sets_.size())];
  return fmt::format("{}/data-{}", random.uniform() < 0.9 ? name_space : "nobody", random.below(3));
}

// ---- their kubelet ----

void Strangers::follow(const ObjectChange& change) {
  const Json& pod = *change.now.json;
  if (text_in(look_in(pod, "metadata"), "namespace") != name_space || change.type == ChangeType::deleted) return;
  const std::string key = key_of(pod), uid = text_in(look_in(pod, "metadata"), "uid");
  const bool bound = !text_in(look_in(pod, "spec"), "nodeName").empty();
  const bool leaves = !text_in(look_in(pod, "metadata"), "deletionTimestamp").empty();
  const bool was_bound = change.before && !text_in(look_in(*change.before, "spec"), "nodeName").empty();
  const bool left = change.before && !text_in(look_in(*change.before, "metadata"), "deletionTimestamp").empty();
  kubernetes::EventLoop& loop = cluster_->loop();
  if (bound && leaves && !left)
    loop.at(loop.now() + seconds(kubelet_.uniform(0, 30)), [this, key, uid] { end(key, uid, nullptr); });
  if (bound && !was_bound) {
    loop.at(loop.now() + seconds(1), [this, key, uid] { end(key, uid, "Running"); });
    const char* phase = kubelet_.uniform() < 0.8 ? "Succeeded" : "Failed";
    loop.at(loop.now() + seconds(kubelet_.uniform(1, 120)), [this, key, uid, phase] { end(key, uid, phase); });
  }
}

// Null: the pod goes.
void Strangers::end(const std::string& key, const std::string& uid, const char* phase) {
  ObjectStore& objects = cluster_->server().objects();
  const StoredObject* found = objects.find(pods_path, key);
  if (!found || text_in(look_in(*found->json, "metadata"), "uid") != uid) return;
  if (!phase) return objects.remove(pods_path, key);
  Json pod = *found->json;
  const std::string now = text_in(look_in(pod, "status"), "phase");
  if (now == "Succeeded" || now == "Failed") return;
  pod["status"]["phase"] = phase;
  if (phase != std::string_view("Running")) ++ended_;
  objects.put(pods_path, key, std::move(pod));
}

void Strangers::collect_pods_of_lost_nodes() {
  ObjectStore& objects = cluster_->server().objects();
  std::vector<std::string> lost;
  for (const auto& [key, pod] : objects.all(pods_path)) {
    if (!key.starts_with(std::string(name_space) + '/')) continue;
    const std::string node = text_in(look_in(*pod.json, "spec"), "nodeName");
    if (!node.empty() && !objects.find(nodes_path, node)) lost.push_back(key);
  }
  for (const std::string& key : lost) objects.remove(pods_path, key);
}

void Strangers::ask(kubernetes::Verb verb, const std::string& path, const Json& body) {
  kubernetes::ApiRequest request;
  request.verb = verb;
  request.path = path;
  if (!body.is_null()) request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (verb == kubernetes::Verb::patch) request.content_type = kubernetes::merge_patch;
  asks_ = true;
  cluster_->server().handle(request, ApiServer::Caller::controller);
  asks_ = false;
}

}  // namespace lips::virtual_cluster::storms
