// The part of KubernetesCluster that says what it does, whether it may decide, and what it lacks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kubernetes/adapter/kubernetes_cluster.h"

namespace lips::kubernetes {
namespace {

constexpr EnumArray<MovePhase, std::string_view> phase_words{"pending",   "pending",   "copying",
                                                             "verifying", "committed", "failed"};

}  // namespace

// True: the API server's store is of an earlier time than before, so everything that was reported is void.
bool KubernetesCluster::review_set_back() {
  std::optional<SetBack> news = watch_book_.take_set_back();
  if (!news && settings_.lease_set_back) news = settings_.lease_set_back();
  if (!news || !restore_guard_->noticed(*news, now())) return false;
  review_data_is_known();
  log_.warning("the API server's store went back", {{"noticed", news->what}, {"why", news->words()}});
  shares_->read();
  informers_->relist_all();
  readiness_.begin_again();
  return true;
}

// The timestamps of everything that was read are the server's, so they cannot be compared with now().
bool KubernetesCluster::has_wrong_time() {
  if (!behind_server_) {
    behind_server_ = server_clock_.differs();
    if (behind_server_)
      log_.warning("the API server's clock is another; the operator begins anew with its time",
                   {{"ahead_seconds", to_seconds(*behind_server_)}});
  }
  return behind_server_.has_value();
}

// Says nothing of a difference below the tolerance, nor of how it changes by less than a second.
void KubernetesCluster::look_at_machine_clock() {
  const Duration behind = loop_->ahead_of_machine();
  if (std::chrono::abs(behind) <= ServerClock::tolerance)
    machine_behind_ = {};
  else if (std::chrono::abs(behind - machine_behind_) > std::chrono::seconds(1))
    machine_behind_ = std::chrono::round<std::chrono::seconds>(behind), machine_behind_since_ = now();
}

// Call it before the loop runs.
bool KubernetesCluster::awaits_lists() {
  if (resources_.state() == OptionalApi::State::present && !data_) link_data();
  if (!data_ && resources_.state() == OptionalApi::State::unknown && resources_.may_be_there(settings_.patience, now()))
    return true;
  return watch_book_.awaits_any();
}

// True: the API server answers again. A watch may not know yet that it is dead, so that its objects are as old as the
// silence.
bool KubernetesCluster::review_silence() {
  if (!request_book_.take_end_of_silence()) return false;
  informers_->relist_all();
  readiness_.begin_again();
  return true;
}

bool KubernetesCluster::in_charge(bool awaits) {
  const bool set_back = review_set_back(), back = review_silence();
  if (readiness_.review() || set_back || back) {
    if (model_.listed()) divisions_->forget_unseen();
    model_.unlist();
  }
  const bool complete = fleet_->review(*informers_, now()) && !awaits && readiness_.has_synced() && shares_->known();
  if (complete)
    was_complete_ = true, incomplete_since_.reset();
  else if (!incomplete_since_)
    incomplete_since_ = now();
  if (awaits && !awaits_lists()) wake();  // the last list has come meanwhile
  return complete && readiness_.leads();
}

// Only what in_charge() waits for.
std::vector<Lack> KubernetesCluster::awaited() const {
  std::vector<Lack> lacks = watch_book_.awaited();
  if (!incomplete_since_ || now() - *incomplete_since_ < settings_.patience) return lacks;
  const auto add = [&](std::string what, std::string why) {
    lacks.push_back({std::move(what), std::move(why), *incomplete_since_});
  };
  if (!data_ && resources_.state() == OptionalApi::State::unknown)
    add("custom resources of lips.dev", "the API server does not say whether it has them");
  if (!fleet_->settled(now())) add("nodepools.karpenter.sh", "it is not known whether the cluster has any, or which");
  if (fleet_->awaits_quotas()) add("resourcequotas", "it is not known which there are");
  if (!shares_->known()) add("configmaps", "the one with the memory of the policy cannot be read");
  return lacks;
}

std::vector<Lack> KubernetesCluster::degraded() const {
  std::vector<Lack> lacks = watch_book_.missing();
  const auto add = [&](const std::optional<Lack>& refused, std::string_view without) {
    if (!refused || now() - refused->since < settings_.patience) return;
    lacks.push_back(*refused);
    lacks.back().why = fmt::format("{} ({})", without, refused->why);
  };
  if (!data_) add(resources_.refused(), "plans do without data sets and Pools");
  add(fleet_->refused(), "plans ask for no nodes");
  add(pod_group_api_->lack(), without_list(WatchedKind::pod_groups));
  for (Lack& right : request_book_.seen(now()).rights) lacks.push_back(std::move(right));
  if (data_)
    if (std::optional<DataLink::StalledMoves> stalled = data_->stalled_moves())
      lacks.push_back({"copies of datamoves.lips.dev", std::move(stalled->words), stalled->since});
  if (data_)
    if (std::optional<DataMover::MissingKey> key = data_->missing_key();
        key && now() - key->since >= settings_.patience)
      lacks.push_back(
          {"secrets", fmt::format("no pod serves a store or a source of copies ({})", key->why), key->since});
  if (machine_behind_ != Duration(0))
    lacks.push_back(
        {"clock of the machine",
         fmt::format("{:.0f} s {} the API server's, by which the operator counts instead",
                     std::abs(to_seconds(machine_behind_)), machine_behind_ > Duration(0) ? "behind" : "ahead of"),
         machine_behind_since_});
  return lacks;
}

std::optional<Lack> KubernetesCluster::unreachable() const {
  const RequestBook::Seen seen = request_book_.seen(now());
  const LeaseView lease = settings_.lease ? settings_.lease() : LeaseView{};
  const bool lease_fails =
      lease.unanswered && now() - lease.since >= settings_.patience && (!seen.answered || *seen.answered < lease.since);
  if (!seen.unanswered_since && !lease_fails) return std::nullopt;
  const TimePoint since = seen.unanswered_since.value_or(lease.since);
  return Lack{"API server", lease.trouble.empty() ? "it does not answer" : "it does not answer: " + lease.trouble,
              lease_fails ? std::min(since, lease.since) : since};
}

OperatorFacts KubernetesCluster::facts() const {
  OperatorFacts facts;
  facts.stopping = finishing_;
  facts.unreachable = unreachable();
  facts.awaited = awaited();
  // A list that is read again is no news, as long as it is soon there.
  facts.awaits = incomplete_since_ &&
                 (!was_complete_ || !facts.awaited.empty() || now() - *incomplete_since_ >= settings_.patience);
  if (!facts.awaits) facts.awaited.clear();
  facts.degraded = degraded();
  facts.leads = readiness_.leads();
  const LeaseView lease = settings_.lease ? settings_.lease() : LeaseView{};
  facts.leader = settings_.lease ? lease.holder : settings_.instance;
  facts.lease_trouble = lease.trouble;
  facts.mode = settings_.mode;
  facts.moves_suspended = restore_guard_->why();
  for (const StoppedWrite& stopped : request_book_.seen(now()).stopped)
    if (facts.stopped_write.empty()) facts.stopped_write = stopped.what;
  if (settings_.more_facts) settings_.more_facts(facts);
  return facts;
}

void KubernetesCluster::tell_state() { state_.review(facts(), now()); }

void KubernetesCluster::tell_waits() {
  telemetry_.on_longest_wait(conditions_->longest_wait());
  for (const auto& [reason, count] : conditions_->pending()) telemetry_.on_pending(reason, count);
  const auto pool_of = [this](const PodRecord& pod) {
    return Resync::pool_of(pod, data_.get()).value_or(pod.meta.name_space);
  };
  pool_waits_.tell(pods_, *conditions_, lifecycle_->untaken(), pool_of, telemetry_, now());
}

void KubernetesCluster::tell_data() {
  for (const auto& [phase, count] : data_->moves_by_phase()) telemetry_.on_moves(phase, count);
  for (const DataLink::EndedMove& move : data_->take_ended())
    telemetry_.on_move_ended(move.pool, move.committed, move.size);
  double files = 0, bytes = 0;
  for (const UnownedInStore& store : data_->unowned())
    files += static_cast<double>(store.copies), bytes += static_cast<double>(store.bytes);
  telemetry_.on_unowned_copies(files, bytes);
}

AdapterStatus KubernetesCluster::status() const {
  AdapterStatus status;
  status.at = now();
  status.machine_behind = loop_->ahead_of_machine();
  status.watches = watch_book_.all();
  status.orders = fleet_->orders();
  status.bindings = lifecycle_->bindings_under_way();
  if (data_)
    for (const auto& [phase, count] : data_->moves_by_phase()) status.moves[std::string(phase_words[phase])] += count;
  if (data_) status.drops = data_->drops_under_way(), status.unowned = data_->unowned();
  RequestBook::Seen seen = request_book_.seen(now());
  status.requests = seen.requests, status.unanswered = seen.unanswered;
  status.at_once = static_cast<std::uint64_t>(settings_.requests_in_flight);
  status.stopped = std::move(seen.stopped);
  return status;
}

}  // namespace lips::kubernetes
