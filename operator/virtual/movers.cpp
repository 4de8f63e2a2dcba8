#include "virtual/movers.h"

#include "kubernetes/data/block_ranges.h"
#include "kubernetes/data/mover_objects.h"
#include "kubernetes/data/resources.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char *jobs_path = "/apis/batch/v1/jobs", *pods_path = "/api/v1/pods";

std::string label(const Json& object, const char* name) {
  return object["metadata"].value("labels", Json::object()).value(name, "");
}

}  // namespace

void Movers::start_job(const Json& job) {
  const std::string role = label(job, kubernetes::role_label), uid = label(job, kubernetes::move_label);
  if (role.empty() || job.value("spec", Json::object()).value("suspend", false)) return;
  for (const auto& [key, move] : objects_.all(all_resources_path(kubernetes::DataKind::data_move))) {
    if ((*move.json)["metadata"].value("uid", "") != uid) continue;
    if (role == to_string(kubernetes::WorkRole::copy)) return copy(key_of(job), *move.json);
    if (role == to_string(kubernetes::WorkRole::drop)) drop(*move.json);
  }
  end(key_of(job), true);
}

void Movers::start_pod(const Json& pod) {
  if (label(pod, kubernetes::role_label).empty()) return;
  Json running = pod;
  running["status"] = {{"phase", "Running"},
                       {"podIP", "10.0.0.1"},
                       {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
  objects_.put(pods_path, key_of(pod), std::move(running));
}

void Movers::copy(const std::string& job, const Json& move) {
  const Json& spec = move["spec"];
  const auto set =
      names_.data_sets.find(key_of(spec["dataSet"].value("namespace", ""), spec["dataSet"].value("name", "")));
  const auto from = names_.stores.find(spec.value("from", "")), to = names_.stores.find(spec.value("to", ""));
  const auto blocks = kubernetes::BlockRanges::parse(move.value("status", Json::object()).value("blocks", ""));
  if (set == names_.data_sets.end() || from == names_.stores.end() || to == names_.stores.end() || !blocks ||
      blocks->empty())
    return end(job, false);
  advance_();
  copies_[job] = {blocks->count(), false};
  for (const std::uint32_t number : blocks->blocks()) {
    const BlockId block(cluster_.data_sets[set->second].first_block.index() + number);
    const MoveId id(last_move_++);
    copy_of_[id] = job;
    truth_.start_move(id, {block, from->second, to->second, false});
  }
  advance_();
}

// The simulated cluster keeps the last replica of a block.
void Movers::drop(const Json& move) {
  const Json& spec = move["spec"];
  const auto set =
      names_.data_sets.find(key_of(spec["dataSet"].value("namespace", ""), spec["dataSet"].value("name", "")));
  const auto from = names_.stores.find(spec.value("from", ""));
  const auto blocks = kubernetes::BlockRanges::parse(move.value("status", Json::object()).value("blocks", ""));
  if (set == names_.data_sets.end() || from == names_.stores.end() || !blocks) return;
  advance_();
  for (const std::uint32_t number : blocks->blocks()) {
    const BlockId block(cluster_.data_sets[set->second].first_block.index() + number);
    if (truth_.is_last_replica(block, from->second))
      wrong_.push_back(set->first + " block " + std::to_string(number) + ": the last replica was to be deleted");
    truth_.drop({block, from->second});
  }
  advance_();
}

void Movers::take(const MoveEnded& ended) {
  const auto of = copy_of_.extract(ended.move);
  if (of.empty()) return;
  CopyJob& job = copies_.at(of.mapped());
  job.failed = job.failed || !ended.committed;
  if (--job.left > 0) return;
  end(of.mapped(), !job.failed);
  copies_.erase(of.mapped());
}

void Movers::end_again(const Json& job) {
  if (label(job, kubernetes::role_label).empty() || copies_.contains(key_of(job))) return;
  if (job.value("status", Json::object()).value("conditions", Json::array()).empty()) end(key_of(job), true);
}

void Movers::end(const std::string& job, bool succeeded) {
  const StoredObject* found = objects_.find(jobs_path, job);
  if (!found) return;
  Json ended = *found->json;
  ended["status"]["conditions"] = Json::array({{{"type", succeeded ? "Complete" : "Failed"}, {"status", "True"}}});
  ended["status"][succeeded ? "succeeded" : "failed"] = 1;
  objects_.put(jobs_path, job, std::move(ended));
}

}  // namespace lips::virtual_cluster
