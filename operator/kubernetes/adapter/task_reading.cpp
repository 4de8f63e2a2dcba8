#include "kubernetes/adapter/task_reading.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kubernetes/data/access.h"
#include "kubernetes/data/task_input.h"
#include "kubernetes/pods/data_path.h"

namespace lips::kubernetes {
namespace {

constexpr Duration longest_doubt = std::chrono::hours(24);

// The sources from which the task decodes its lost block, as text.
Result<std::string> degraded_text(const ReadingContext& context, const BlockRun& run, const Assignment& assignment,
                                  InputRequest request) {
  const ModelIndex::KnownDataSet* known = context.index.data_set(run.data_set);
  if (!known) return fail(ErrorCode::not_found, "the data set no longer exists");
  request.block = run.first;
  std::vector<StripeStore> sources;
  for (const StripeSource& source : assignment.sources)
    sources.emplace_back(source.block.index() - known->first.index(),
                         context.data->store(context.index.store_name(source.store)));
  return degraded_task_input(std::move(request), sources);
}

}  // namespace

// The policy chose a store for the first block; others may be in other stores.
Result<std::string> input_text(const ReadingContext& context, const PodRecord& pod, const Assignment& assignment) {
  if (!assignment.read_from.valid() && assignment.sources.empty()) return std::string();
  if (shares_reading(pod) || pod.reads.empty()) return std::string();
  const BlockRun& run = pod.reads.front();  // others are read by pods that share
  InputRequest request;
  request.set = context.data ? context.data->data_set(run.data_set) : nullptr;
  if (!request.set || !may_read(request.set->object, pod.meta.name_space))
    return fail(ErrorCode::not_found, "the data set no longer exists, or may no longer be read from this namespace");
  if (!pod.steered) request.node = context.index.node_name(assignment.node);  // else only its zone is certain
  if (pod.meta.name_space == context.volumes_namespace) request.claims = &pod.claims;
  request.mounted_at = pod.work.mounted_at;
  request.key = &context.data->store_key();
  const std::string wanted = assignment.read_from.valid() ? context.index.store_name(assignment.read_from) : "";
  const auto holder = [&](std::uint32_t block) { return context.data->holder(run.data_set, block, wanted); };
  std::string text;
  std::uint32_t block = run.first;
  const std::uint32_t end = block + run.count;
  if (!assignment.sources.empty()) {
    Result<std::string> decoded = degraded_text(context, run, assignment, request);
    if (!decoded) return decoded;
    text = *std::move(decoded);
    ++block;
  }
  for (std::uint32_t next = block; block < end && text.size() <= longest_input; block = next) {
    request.block = block;
    request.store = holder(block);
    while (++next < end && holder(next) == request.store) {
    }
    Result<std::string> inputs =
        request.store ? task_inputs(request, next - block) : fail(ErrorCode::not_found, "no store holds the block");
    if (!inputs) return inputs;
    text += (text.empty() ? "" : "\n") + *inputs;
  }
  return text;
}

bool is_read(const PodCache& pods, const ReplicaAsked& replica, const MayRead& may_read, TimePoint now) {
  const auto reads = [&](const auto& entry) {
    const PodRecord& pod = *entry.second;
    if (!pod.on_node() && pod.state != PodState::ungated) return false;
    return std::any_of(pod.reads.begin(), pod.reads.end(), [&](const BlockRun& run) {
      const bool of_path = is_data_path(run.data_set);  // of a process before this one: it may be any below it
      if (!of_path && run.data_set != replica.data_set) return false;
      if (of_path || run == reads_anything(pod))
        return now - pod.first_seen < longest_doubt && may_read(replica.data_set, pod.meta.name_space);
      const bool one_block = run.count == 1 && pod.reads.size() == 1;
      return pod.degraded || (run.contains(replica.block) && (pod.read_from == replica.store || !one_block));
    });
  };
  return std::any_of(pods.ours().begin(), pods.ours().end(), reads);
}

}  // namespace lips::kubernetes
