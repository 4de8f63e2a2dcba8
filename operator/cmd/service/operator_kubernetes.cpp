#include "cmd/service/operator_kubernetes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cmd/cli/command.h"
#include "controller/epoch_controller.h"
#include "kubernetes/adapter/fleet_offers.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "kubernetes/api/access_review.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/leadership.h"
#include "kubernetes/api/steady_now.h"
#include "kubernetes/data/mover_options.h"
#include "model/cluster_state.h"

namespace lips::cmd {
namespace {

Result<kubernetes::Connection> connect(const std::string& kubeconfig) {
  if (!kubeconfig.empty()) return kubernetes::connection_from_kubeconfig(kubeconfig);
  auto in_cluster = kubernetes::connection_in_cluster();
  if (in_cluster || in_cluster.error().code != ErrorCode::not_found) return in_cluster;
  if (const char* file = std::getenv("KUBECONFIG"); file && *file) return kubernetes::connection_from_kubeconfig(file);
  const char* home = std::getenv("HOME");
  const std::string file = std::string(home ? home : "") + "/.kube/config";
  if (std::filesystem::exists(file)) return kubernetes::connection_from_kubeconfig(file);
  return fail(ErrorCode::invalid_input, "found no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a pod");
}

// A unique identity: the name of the pod, or host and process id, with random digits.
std::string fresh_identity() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::uint64_t random = 0;
  if (std::FILE* file = std::fopen("/dev/urandom", "rb")) {
    if (std::fread(&random, sizeof random, 1, file) != 1) random = static_cast<std::uint64_t>(getpid());
    std::fclose(file);
  }
  return fmt::format("{}_{}_{:016x}", host.data(), getpid(), random);
}

// As the chart's downward API says it; without a uid where the operator does not run as a pod.
kubernetes::ObjectMeta own_pod(const std::string& name_space) {
  const char* name = std::getenv("LIPS_POD_NAME");
  const char* uid = std::getenv("LIPS_POD_UID");
  return {name_space, name ? name : "", uid ? uid : "", ""};
}

Admission admission_of(kubernetes::AccessVerdict verdict) {
  switch (verdict) {
    case kubernetes::AccessVerdict::allowed:
      return Admission::allowed;
    case kubernetes::AccessVerdict::unknown:
      return Admission::unknown;
    case kubernetes::AccessVerdict::forbidden:
      return Admission::forbidden;
    case kubernetes::AccessVerdict::unavailable:
      break;
  }
  return Admission::unavailable;
}

void name_pods(const std::vector<kubernetes::KnownPod>& pods, LiveFacts& facts) {
  for (const kubernetes::KnownPod& pod : pods) {
    if (pod.task.valid())
      facts.pods.push_back({pod.name, pod.task});
    else
      facts.held.push_back({pod.name, pod.held});
  }
}

// Beside the journal, whose folder outlives the process where it is a volume.
std::string seen_file(const OperatorConfig& config) {
  const std::string& folder = config.journal.directory;
  return folder.empty() ? "" : folder + "/newest-version-seen";
}

}  // namespace

kubernetes::ClusterSettings cluster_settings(const KubernetesRun& run, const std::string& name) {
  const auto config = run.live.config();
  kubernetes::ClusterSettings settings;
  settings.scheduler_name = config->scheduler_name;
  settings.mode = config->mode;
  settings.left_alone = run.left_alone;
  settings.instance = name;
  settings.requests_in_flight = config->kubernetes.requests_in_flight;
  settings.events_per_second = config->kubernetes.events_per_minute / 60.0;
  settings.applications = config->applications;
  settings.model.network = config->network;
  settings.model.node_price = [&live = run.live](const kubernetes::PriceQuestion& question) {
    return live.prices()->node(
        {question.region, question.zone, question.instance_type, question.capacity_type, question.cpu});
  };
  settings.model.prices_in_use = run.prices_in_use;
  if (config->fleet.from_node_pools)
    settings.pool_offers = {[&live = run.live](const auto& pools, const kubernetes::NodeCache& nodes) {
                              return kubernetes::pool_offers(pools, nodes, live.config()->fleet, *live.prices());
                            },
                            [&live = run.live](const auto& pools, const kubernetes::NodeCache& nodes) {
                              return kubernetes::pool_limits(pools, nodes, *live.prices());
                            },
                            [&live = run.live](const auto& pools, const kubernetes::NodeCache& nodes) {
                              return kubernetes::pool_problems(pools, nodes, live.config()->fleet, *live.prices());
                            }};
  else
    settings.model.offers = [&live = run.live](const kubernetes::NodeCache& nodes) {
      return kubernetes::listed_offers(live.config()->fleet, *live.prices(), nodes);
    };
  settings.model.transfer_price = [&live = run.live](const TransferEnd& from, const TransferEnd& to) {
    return live.prices()->transfer(from, to);
  };
  settings.data.storage_price = [&live = run.live](StoreKind kind) { return live.prices()->storage(kind); };
  settings.data.mover = kubernetes::mover_options(config->moves);
  settings.data.mover.pool_uses = run.pool_uses;
  settings.data.tenants = {config->data.blocks_per_name_space, config->data.files_per_name_space,
                           std::llround(config->data.size_per_name_space.value() * bytes_per_mebibyte),
                           config->data.discover_from, config->data.blocks_and_replicas};
  settings.prices_version = [&live = run.live] { return live.generation(); };
  settings.announced = run.announced;
  settings.cadence = [&policy = run.policy] { return policy.cadence(); };
  settings.keep_budget = [&policy = run.policy] { return policy.current()->settings.lips.keep_budget; };
  settings.stop = run.stop;
  settings.more_facts = run.state_facts;
  if (run.watches) {
    settings.wants_watched = [&run] { return run.recorder.takes_watched(); };
    settings.watched = [&run](WatchedCluster seen) { run.recorder.watched(*run.policy.current(), std::move(seen)); };
  }
  return settings;
}

std::function<bool()> look_and(const KubernetesRun& run, const ClusterState& state,
                               const std::unique_ptr<kubernetes::KubernetesCluster>& cluster,
                               std::function<bool()> stop) {
  return [&run, &state, &cluster, stop = std::move(stop)] {
    if (cluster)
      run.look(state.snapshot(), cluster->now(), [&](LiveFacts& facts) {
        name_pods(cluster->pods(), facts);
        for (const auto& [of, known] : cluster->learned_traffic().all())
          facts.applications.push_back({of, known.runs, known.bytes.shuffle, known.bytes.input, known.workers});
      });
    return stop();
  };
}

Result<void> control(const KubernetesRun& run, ClusterState& state, kubernetes::KubernetesCluster& cluster,
                     const std::function<bool()>& stop) {
  const WallStopwatch stopwatch;
  EpochController controller(state, cluster, run.policy, CostModel{});
  controller.observe(run.observer);
  controller.observe(run.recorder);
  controller.price_waiting_by(run.pricer);
  ControllerSettings rules;
  rules.seed = run.live.config()->policy.seed;
  rules.stopwatch = &stopwatch;
  rules.stop = stop;
  rules.rest_after_planning = rest_of_operators;
  run.recorder.count_services_by([&cluster] { return cluster.services(); });
  Result<void> ran = controller.run(rules);
  run.recorder.count_services_by({});
  cluster.finish();
  return ran;
}

TimePoint kubernetes_time() { return kubernetes::steady_now(); }

const std::string& own_identity() {
  static const std::string identity = fresh_identity();
  return identity;
}

Result<Admit> admission_by_cluster(const std::string& kubeconfig) {
  const auto connection = connect(kubeconfig);
  if (!connection) return tl::unexpected<Error>(connection.error());
  struct Asking {
    explicit Asking(const kubernetes::Connection& to) : client(to, {}) {}
    kubernetes::HttpClient client;
    kubernetes::AccessReview review{client};
  };
  return [asking = std::make_shared<Asking>(*connection)](const std::string& token, const std::string& path) {
    return admission_of(asking->review.may_get(token, path));
  };
}

namespace {

// Until it is asked to stop, or the server's clock differs. `behind`: by how much, then.
Result<void> run_once(const KubernetesRun& run, std::optional<Duration>& behind) {
  auto connection = connect(run.kubeconfig);
  if (!connection) return tl::unexpected<Error>(connection.error());
  const auto config = run.live.config();
  if (auto good = kubernetes::check_pod_spec(config->moves.pod_spec); !good) return good;
  const std::string& name = own_identity();
  run.log.info("connecting", {{"server", connection->server}, {"scheduler", config->scheduler_name}});

  const kubernetes::ClusterLink link = kubernetes::link_to(*connection);
  std::unique_ptr<kubernetes::Leadership> leadership;
  kubernetes::ClusterSettings settings = cluster_settings(run, name);
  if (settings.data.mover.work.name_space.empty()) settings.data.mover.work.name_space = connection->name_space;
  settings.self = own_pod(connection->name_space);
  const auto& election = config->leader_election;
  settings.shares = {election.name_space.empty() ? connection->name_space : election.name_space,
                     election.name + "-memory"};
  const kubernetes::LeaseOptions lease{name, election.lease, election.renew_deadline, election.retry};
  if (election.enabled) {
    settings.leads = [&leadership] { return leadership && leadership->leads(); };
    settings.times_elected = [&leadership] { return leadership ? leadership->times_elected() : 0; };
    settings.bind_timeout = kubernetes::wire_time(lease);
    settings.lease_set_back = [&leadership] {
      return leadership ? leadership->take_set_back() : std::optional<kubernetes::SetBack>{};
    };
    settings.lease = [&leadership] { return leadership ? leadership->view() : kubernetes::LeaseView{}; };
  }
  ClusterState state{ClusterSnapshot{}};
  std::unique_ptr<kubernetes::KubernetesCluster> cluster;
  settings.stop = look_and(run, state, cluster, run.stop);
  cluster = std::make_unique<kubernetes::KubernetesCluster>(link, std::move(settings), run.adapter, run.log);
  cluster->start();
  if (election.enabled) {
    const std::string name_space = election.name_space.empty() ? connection->name_space : election.name_space;
    leadership = std::make_unique<kubernetes::Leadership>(
        *connection, kubernetes::Leadership::Place{name_space, election.name, seen_file(*config)}, lease,
        kubernetes::Leadership::Telling{
            *link.loop,
            [&](bool leads) {
              run.adapter.on_leader(leads);
              cluster->wake();
            },
            [&run, said = std::chrono::steady_clock::time_point{}, times = 0](const Error& error) mutable {
              ++times;  // a try every two seconds, as long as the server is away
              const auto now = std::chrono::steady_clock::now();
              if (said != std::chrono::steady_clock::time_point{} && now - said < std::chrono::minutes(1)) return;
              said = now;
              run.log.warning("cannot renew the lease", {{"why", error.message}, {"times", std::exchange(times, 0)}});
            }});
  } else {
    run.adapter.on_leader(true);
  }

  Result<void> ran = control(run, state, *cluster, run.stop);
  behind = cluster->behind_server();
  leadership.reset();  // only now may another replica act
  return ran;
}

}  // namespace

// All that it remembers is in the cluster. So where the server's clock differs it begins anew, as after a restart.
Result<void> run_on_kubernetes(const KubernetesRun& run) {
  for (;;) {
    std::optional<Duration> behind;
    Result<void> ran = run_once(run, behind);
    if (!behind || run.stop() || !ran) return ran;
    kubernetes::put_steady_now_forward(*behind);
  }
}

}  // namespace lips::cmd
