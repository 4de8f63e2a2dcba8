#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "cmd/cli/command.h"
#include "cmd/operator_start.h"
#include "cmd/playground/operator_virtual.h"
#include "cmd/service/epoch_recorder.h"
#include "cmd/service/file_watch.h"
#include "cmd/service/live_policy.h"
#include "cmd/service/new_data_endpoint.h"
#include "cmd/service/operator_kubernetes.h"
#include "cmd/service/operator_simulated.h"
#include "cmd/service/overview_keeper.h"
#include "cmd/service/overview_of.h"
#include "cmd/service/price_age.h"
#include "cmd/service/price_feed.h"
#include "cmd/service/state_endpoint.h"
#include "cmd/service/state_facts.h"
#include "cmd/service/status_text.h"
#include "cmd/service/twin_keeper.h"
#include "config/live_config.h"
#include "targets/keeper.h"
#include "targets/steering_guard.h"
#include "telemetry/metrics/log_lines.h"
#include "telemetry/metrics/operator_metrics.h"
#include "telemetry/metrics/recent_trouble.h"
#include "telemetry/status/health_server.h"
#include "telemetry/status/listen_address.h"
#include "telemetry/status/status_page.h"
#include "telemetry/status/status_server.h"
#include "version.h"

namespace lips::cmd {

namespace {

LineLog::Form form_of(LogFormat format) {
  return format == LogFormat::json ? LineLog::Form::json : LineLog::Form::logfmt;
}

std::string env_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr std::size_t most_missed_named = 20;  // in the log, of one plan

// The parts of a running operator, each after those that it depends on.
class RunningOperator {
 public:
  RunningOperator(const OperatorOptions& options, const OperatorConfig& config, PriceSheet sheet, NodePrices prices,
                  std::shared_ptr<const NamedPolicy> policy, const Playground* playground)
      : options_(options),
        playground_(playground),
        clock_(playground ? [loop = playground->loop] { return loop->now(); } : std::function(kubernetes_time)),
        sheet_(std::move(sheet)),
        lines_(form_of(config.log.format), config.log.level),
        live_(config, std::move(prices)),
        metrics_({std::string(version), std::string(revision), options.cluster,
                  has_objects() ? clock_ : std::function<TimePoint()>()}),
        twin_(live_, {[this] { return metrics_.leads(); },
                      [this](const TwinState& twin, double seconds) { metrics_.twin_told(twin, seconds); }}),
        state_({[this] { return metrics_.leads(); }, [this] { return metrics_.by_job(); },
                [this] { return metrics_.figures().targets; }, [this] { return metrics_.figures().own_targets.worst; },
                [this] { return twin_.latest(); }},
               !has_objects()),
        facts_(config.mode, env_or_empty("LIPS_CHART_MODE")),
        recorder_(metrics_, live_, log_, has_objects() ? EpochRecorder::Work::beside : EpochRecorder::Work::at_once,
                  [this](const std::string& why) { facts_.write_journal(why, clock_()); }),
        policy_(
            std::move(policy),
            [this](const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took) {
              recorder_.record(by, input, plan, took);
              new_data_.update(input);
              state_.planned(by, input, plan, took);
              metrics_.targets(targets_.reports());
              follow_jobs(input.cluster);
              guard_.planned(input.cluster.now, refused_.empty(), targets_.reports());
              facts_.planned(std::exchange(refused_, ""));
              kept_room_ = plan.account.expected_room().value();
              for (const std::string& pool : std::set(left_alone_)) leaves_alone(pool);  // nobody may ask any more
            },
            [this](const PlanFault& fault) { refused(fault); }),
        targets_({[this] { return policy_.current()->settings.targets; }, config.policy.settings.lips.billing,
                  [this](const TargetReport& report) { tell(report); }},
                 CostModel()) {
    metrics_.bill_nodes_by(terms_of(config));
  }

  Result<void> run(const std::string& config_text);

 private:
  bool on_kubernetes() const { return kind_of(options_) == ClusterKind::kubernetes; }
  bool watches() const { return on_kubernetes() && live_.config()->mode == PodMode::watch; }
  // The adapter runs: the cluster is Kubernetes, real or virtual.
  bool has_objects() const { return kind_of(options_) != ClusterKind::simulated; }
  NodeTerms terms_of(const OperatorConfig& config) const {
    return {config.commitments, config.fleet.boot_time, !has_objects()};
  }
  std::string page(const PageQuestion& question);
  std::string status();
  Result<void> serve_health();
  Result<void> serve();
  Result<void> run_simulated();
  Result<void> run_with_objects();
  void reload(Result<OperatorConfig> changed);
  void feed(Result<std::vector<InstanceOffer>> offers);
  void announce(const std::string& file, const Result<std::string>& text);
  kubernetes::AnnouncedWork announced();
  void refused(const PlanFault& fault);
  void tell(const TargetReport& report);
  void follow_jobs(const ClusterSnapshot& cluster);
  std::vector<PoolUse> pool_uses() const;
  bool leaves_alone(const std::string& pool);
  Health alive() const;
  Health ready() const;

  const OperatorOptions& options_;
  const Playground* playground_;  // null: the cluster is none in virtual time
  const std::function<TimePoint()> clock_;
  const PriceSheet sheet_;
  LineLog lines_;
  RecentTrouble log_{lines_, clock_};
  LiveConfig live_;
  OperatorMetrics metrics_;
  TwinKeeper twin_;
  StateEndpoint state_;
  OverviewKeeper overview_{[this] { return state_.record(); }};
  StateFacts facts_;  // before the recorder, whose thread tells it
  EpochRecorder recorder_;
  NewDataEndpoint new_data_;
  LivePolicy policy_;
  TargetKeeper targets_;
  SteeringGuard guard_;               // on the controller's thread
  std::string refused_;               // why the plan that is being decided was; empty: it was not
  std::set<std::string> left_alone_;  // pools, as the log says
  PriceAge price_age_{metrics_, log_};
  std::atomic<double> kept_room_{0};         // CPU-seconds, in the last plan
  std::set<PlanFault::Kind> faults_logged_;  // on the controller's thread
  std::mutex replacing_;                     // held by whoever replaces the live configuration
  std::vector<InstanceOffer> fed_;           // by prices.metrics
  bool feed_failed_ = false;                 // and the log says so
  std::mutex announcing_;
  kubernetes::AnnouncedWork announced_;  // by expected.file; under `announcing_`
  std::atomic<bool> ended_{false};       // a simulated run has ended; only its page is still served
  std::unique_ptr<HealthServer> health_;
  std::unique_ptr<StatusServer> server_;
};

// Counts every fault but logs each kind once: a failing policy may fail at every plan.
void RunningOperator::refused(const PlanFault& fault) {
  refused_ = fault.why;
  metrics_.plan_refused(fault);
  if (!faults_logged_.insert(fault.kind).second) return;
  log_.error("plan refused: every task waits for the next plan; further refusals of this kind are only counted",
             {{"policy", policy_.current()->name}, {"kind", to_string(fault.kind)}, {"why", fault.why}});
}

void RunningOperator::tell(const TargetReport& report) {
  const LogField pool{"pool", report.pool.empty() ? "all" : report.pool}, kind{"target", to_string(report.kind)};
  if (report.state == TargetState::cannot)
    log_.warning("a target cannot be held", {pool, kind, {"wanted", report.target}, {"why", report.why}});
  else
    log_.info("target", {pool, kind, {"wanted", report.target}, {"state", to_string(report.state)}});
}

// Targets of jobs' own. Names a few: as many may miss theirs at once as there are jobs.
void RunningOperator::follow_jobs(const ClusterSnapshot& cluster) {
  const std::vector<OwnTargetReport> reports = targets_.of_jobs().reports(cluster);
  const std::vector<MissedTarget> missed = targets_.of_jobs().take_missed();
  metrics_.own_targets(reports, missed);
  for (std::size_t i = 0; i < std::min(missed.size(), most_missed_named); ++i)
    log_.warning("a job has missed its target", {{"job", missed[i].job},
                                                 {"pool", missed[i].pool},
                                                 {"target", to_string(missed[i].kind)},
                                                 {"late_seconds", to_seconds(missed[i].late)}});
  if (missed.size() > most_missed_named)
    log_.warning("more jobs have missed their targets", {{"count", missed.size() - most_missed_named}});
}

std::vector<PoolUse> RunningOperator::pool_uses() const {
  std::vector<PoolUse> uses;
  for (const PoolFigures& pool : metrics_.figures().pools) {
    uses.push_back({pool.name, Cores(pool.cores), pool.share, pool.rate, pool.running, pool.pending});
    for (const TargetReport& report : targets_.reports())
      if (report.pool == pool.name) uses.back().targets.push_back(report);
    uses.back().standing = pool.standing;
    if (left_alone_.contains(pool.name)) uses.back().left_alone = guard_.why_not(pool.name);
  }
  return uses;
}

// Asked for each pool that is to be steered.
bool RunningOperator::leaves_alone(const std::string& pool) {
  guard_.set_falls_back(live_.config()->fall_back);
  const std::optional<LeftAloneBecause> because = guard_.why_not(pool);
  if (because ? !left_alone_.insert(pool).second : left_alone_.erase(pool) == 0) return because.has_value();
  metrics_.left_alone(pool, because ? std::optional(because->reason) : std::nullopt);
  if (because)
    log_.warning("a pool is not steered at present: its pods are left to their schedulers",
                 {{"pool", pool}, {"reason", to_string(because->reason)}, {"why", because->why}});
  else
    log_.info("a pool is steered again", {{"pool", pool}});
  return because.has_value();
}

Health RunningOperator::alive() const {
  const double still = metrics_.seconds_since_turn();
  const bool good = ended_ || still <= to_seconds(live_.config()->server.stalled_after);
  return {good, good ? "ok" : fmt::format("the main loop has not run for {:.0f} s", still)};
}

Health RunningOperator::ready() const {
  const OperatorState state = metrics_.state();
  return {state.ready(), state.words()};
}

std::string RunningOperator::status() {
  const OperatorFigures figures = metrics_.figures();
  OperatorStatus status{figures.version,
                        figures.cluster,
                        own_identity(),
                        policy_.current()->name,
                        std::string(to_string(live_.config()->mode)),
                        figures.leads,
                        figures.state};
  status.plans = figures.epochs, status.since_plan = figures.since_last_epoch;
  status.kept_cpu_seconds = kept_room_;
  status.adapter = metrics_.status();
  status.troubles = log_.latest();
  status.prices = price_age_.ages();
  for (const auto& [type, nodes] : figures.invoice.unpriced) status.prices.unpriced += nodes;
  return status_text(status, clock_());
}

std::string RunningOperator::page(const PageQuestion& question) {
  OperatorFigures figures = metrics_.figures();
  figures.alive = alive().good;
  figures.pays_for_nodes = policy_.current()->settings.lips.billing == Billing::invoice;
  figures.twin = twin_.latest();
  const PageMode mode{!question.still, question.nonce};
  if (question.job.empty()) {
    const std::optional<Overview> overview = figures.leads ? overview_.latest() : std::nullopt;
    return render_status_page(figures, overview ? &*overview : nullptr, mode);
  }
  const std::shared_ptr<const EpochRecord> record = state_.record();
  if (!record) return render_no_job(figures, "The operator is busy, stands by, or has made no plan yet.", mode);
  const Result<JobView> job = job_view_of(*record, question.job);
  return job ? render_job_page(figures, *job, mode) : render_no_job(figures, job.error().message, mode);
}

Result<void> RunningOperator::serve_health() {
  const std::string listen = live_.config()->server.health;
  if (listen.empty()) return {};
  auto server = HealthServer::start(listen, {[this] { return alive(); }, [this] { return ready(); }});
  if (!server) return tl::unexpected(server.error());
  health_ = std::move(*server);
  log_.info("health", {{"address", fmt::format("{}:{}", listen.substr(0, listen.rfind(':')), health_->port())}});
  return {};
}

Result<void> RunningOperator::serve() {
  if (Result<void> served = serve_health(); !served) return served;
  const OperatorConfig::Server config = live_.config()->server;
  if (config.listen.empty()) return {};
  ServedTexts texts;
  texts.page = [this](const PageQuestion& question) { return page(question); };
  texts.metrics = [this] { return metrics_.exposition(); };
  if (!health_) {
    texts.alive = [this] { return alive(); };
    texts.ready = [this] { return ready(); };
  }
  texts.new_data = [this](const auto& query) { return new_data_.answer(query); };
  texts.state = [this] { return state_.answer(); };
  texts.status = [this] { return status(); };
  if (config.authorize) {
    Result<Admit> admit = admission_by_cluster(options_.kubeconfig);
    if (!admit) return tl::unexpected(admit.error());
    texts.admit = std::move(*admit);
  }
  const std::string& listen = config.listen;
  Result<std::unique_ptr<StatusServer>> server = StatusServer::start(listen, std::move(texts));
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  log_.info("listening", {{"address", fmt::format("{}:{}", listen.substr(0, listen.rfind(':')), server_->port())}});
  return {};
}

// Applies the keys that may change at run time, and logs that the others need a restart.
void RunningOperator::reload(Result<OperatorConfig> changed) {
  const auto refuse = [&](const Error& error) {
    metrics_.reloaded(ReloadOutcome::refused);
    log_.error("refused the changed configuration; the old one stays in force", {{"error", error.message}});
  };
  if (!changed) return refuse(changed.error());
  const std::lock_guard lock(replacing_);
  const std::shared_ptr<const OperatorConfig> old = live_.config();
  if (changed->prices.metrics != old->prices.metrics) fed_.clear();
  Result<NodePrices> prices = NodePrices::make(sheet_, changed->prices, fed_);
  if (!prices) return refuse(prices.error());
  Result<std::shared_ptr<const NamedPolicy>> policy =
      make_named_policy(changed->policy.name, changed->policy.effective());
  if (!policy) return refuse(policy.error());
  bool restart = false, new_policy = false;
  for (const ConfigKey& key : changed_keys(*old, *changed)) {
    restart |= !key.live, new_policy |= key.path.starts_with("policy.");
    log_.info(key.live ? "configuration changed" : "configuration changed; this key needs a restart",
              {{"key", key.path}, {"value", key.value}});
  }
  lines_.set_level(changed->log.level);
  facts_.configured(changed->mode);
  metrics_.bill_nodes_by(terms_of(*changed));
  live_.replace(std::move(*changed), std::move(*prices));
  if (new_policy) policy_.use(std::move(*policy));
  metrics_.reloaded(restart ? ReloadOutcome::restart_needed : ReloadOutcome::applied);
}

// The last prices stay while the page cannot be read. Equal prices change nothing, for a change lists the cluster anew.
void RunningOperator::feed(Result<std::vector<InstanceOffer>> offers) {
  const std::lock_guard lock(replacing_);
  facts_.read_prices(offers ? "" : offers.error().message, clock_());
  if (!offers) {
    if (!std::exchange(feed_failed_, true))
      log_.warning("cannot read prices.metrics; the last prices stay in force", {{"error", offers.error().message}});
    return;
  }
  feed_failed_ = false;
  const auto key = [](const InstanceOffer& offer) {
    return std::tie(offer.region, offer.instance_type, offer.zone, offer.capacity_type, offer.price);
  };
  const bool same = std::equal(fed_.begin(), fed_.end(), offers->begin(), offers->end(),
                               [&](const auto& a, const auto& b) { return key(a) == key(b); });
  price_age_.fed();
  if (same) return;
  fed_ = std::move(*offers);
  const std::shared_ptr<const OperatorConfig> config = live_.config();
  Result<NodePrices> prices = NodePrices::make(sheet_, config->prices, fed_);
  if (!prices) return log_.warning("cannot use new prices", {{"error", prices.error().message}});
  log_.info("prices read", {{"url", config->prices.metrics}, {"prices", fed_.size()}});
  live_.replace(*config, std::move(*prices));
}

// The last list stays while the file cannot be read; entries with an error are left out.
void RunningOperator::announce(const std::string& file, const Result<std::string>& text) {
  if (!text) return log_.warning("cannot read expected.file", {{"why", text.error().message}});
  kubernetes::Announcements read = kubernetes::parse_announcements(file, *text);
  for (const std::string& error : read.errors) {
    metrics_.on_rejected("File", "announcement");
    log_.warning("cannot count on a job to come", {{"why", error}});
  }
  log_.info("announcements read", {{"file", file}, {"jobs", read.entries.size()}, {"refused", read.errors.size()}});
  const std::lock_guard lock(announcing_);
  announced_ = std::make_shared<const std::vector<kubernetes::Announcement>>(std::move(read.entries));
}

kubernetes::AnnouncedWork RunningOperator::announced() {
  const std::lock_guard lock(announcing_);
  return announced_;
}

Result<void> RunningOperator::run_simulated() {
  const Result<simulation::Scenario> scenario = scenario_of(options_);
  if (!scenario) return tl::unexpected(scenario.error());
  std::optional<Faults> faults;
  if (options_.faults) faults = Faults{*options_.faults};
  const SimulatedRun run{
      *scenario,
      options_.speed,
      live_.config()->policy.seed,
      policy_,
      metrics_,
      recorder_,
      targets_,
      metrics_,
      log_,
      interrupt_requested,
      [this](const ClusterSnapshot& cluster, TimePoint now) { state_.look(cluster, now, [](LiveFacts&) {}); },
      [this](const PolicyInput& end) { recorder_.close(*policy_.current(), end); },
      faults};
  const Result<simulation::RunResult> result = run_on_simulation(run, policy_.current()->name);
  if (!result) return tl::unexpected(result.error());
  state_.close();
  if (options_.stay) twin_.journal_is_complete();
  ended_ = true;
  log_.info(result->stopped ? "scenario stopped" : "scenario finished",
            {{"dollars_by_use", result->bill.total().value()},
             {"jobs_finished", result->jobs_finished},
             {"simulated_seconds", to_seconds(result->makespan)}});
  while (options_.stay && !interrupt_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return {};
}

Result<void> RunningOperator::run_with_objects() {
  const KubernetesRun run{options_.kubeconfig,
                          live_,
                          policy_,
                          metrics_,
                          recorder_,
                          targets_,
                          metrics_,
                          log_,
                          [this] { return pool_uses(); },
                          [this](const std::string& pool) { return leaves_alone(pool); },
                          watches(),
                          [this] { return announced(); },
                          [this](const PricesInUse& used) { price_age_.use(used); },
                          [this](OperatorFacts& facts) { facts_.add_to(facts); },
                          interrupt_requested,
                          [this](const ClusterSnapshot& cluster, TimePoint now,
                                 const StateEndpoint::NamePods& name_pods) { state_.look(cluster, now, name_pods); }};
  if (!playground_) return run_on_kubernetes(run);
  const Result<ListenAddress> api = parse_listen_address("--api", options_.api);
  if (!api) return tl::unexpected(api.error());
  return run_on_virtual(run, *playground_, *api, server_ ? server_->port() : 0);
}

Result<void> RunningOperator::run(const std::string& config_text) {
  if (Result<void> opened = recorder_.open(watches()); !opened) return opened;
  if (Result<void> served = serve(); !served) return served;
  std::optional<FileWatch> watch, expected;
  if (!options_.config.empty())
    watch.emplace([this] { return options_.config; }, config_text,
                  [this](const std::string& file, const Result<std::string>& text) {
                    if (text) reload(parse_operator_config(file, *text, options_.set));  // else it is being replaced
                  });
  std::optional<PriceFeed> prices;
  if (on_kubernetes()) {
    expected.emplace([this] { return live_.config()->expected.file; }, "",
                     [this](const std::string& file, const Result<std::string>& text) { announce(file, text); });
    prices.emplace(
        [this] {
          return PriceFeed::Source{live_.config()->prices.metrics, live_.config()->prices.region};
        },
        [this](Result<std::vector<InstanceOffer>> offers) { feed(std::move(offers)); });
  }
  log_.info("starting", {{"version", version}, {"policy", live_.config()->policy.name}, {"cluster", options_.cluster}});
  Result<void> ran = has_objects() ? run_with_objects() : run_simulated();
  state_.close();
  if (ran) log_.info("stopped");
  return ran;
}

Result<void> start(const OperatorOptions& options) {
  Result<Prepared> prepared = prepare(options);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<std::optional<Playground>> playground = playground_of(options);
  if (!playground) return tl::unexpected(playground.error());
  watch_for_interrupt();
  RunningOperator running(options, prepared->config, std::move(prepared->sheet), std::move(prepared->prices),
                          std::move(prepared->policy), *playground ? &**playground : nullptr);
  return running.run(prepared->text);
}

// Defaults need no sheet of prices, which a program alone lacks.
int print_config(const OperatorOptions& options) {
  if (options.config.empty() && options.set.empty()) return print(default_config_text());
  const Result<Prepared> prepared = prepare(options);
  return prepared ? print(config_text(prepared->config)) : print_error(prepared.error());
}

}  // namespace

int run_operator(Words words) {
  OperatorOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  if (options.print_config) return print_config(options);
  const Result<void> ran = start(options);
  return ran ? static_cast<int>(done) : print_error(ran.error());
}

}  // namespace lips::cmd
