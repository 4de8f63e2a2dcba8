#include "kubernetes/data/mover_options.h"

#include <algorithm>

#include "kubernetes/data/move_jobs.h"

namespace lips::kubernetes {

MoverOptions mover_options(const OperatorConfig::Moves& moves) {
  MoverOptions options;
  options.work.name_space = moves.name_space;
  options.work.image = moves.image;
  options.work.pull_policy = moves.pull_policy;
  options.work.service_account = moves.service_account;
  options.work.run_as_user = moves.run_as_user;
  options.work.resources = {moves.cpu_request, moves.cpu_limit, moves.memory_request, moves.memory_limit};
  options.work.pod_spec = moves.pod_spec;
  options.key_secret = moves.key_secret;
  if (moves.bandwidth.value() > 0) {
    const double bytes = moves.bandwidth.value() * bytes_per_mebibyte / std::max(1, moves.per_zone_pair);
    options.work.bytes_per_second = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
  }
  options.limits = {moves.per_zone_pair, moves.total};
  options.attempts = moves.attempts;
  options.keep_finished = moves.keep_finished;
  options.serve_stores = moves.serve_stores;
  options.unowned_every = moves.unowned_every;
  return options;
}

MoveProgress::Bounds progress_bounds(const MoverOptions& mover) {
  MoveProgress::Bounds bounds;
  bounds.around_copy = mover.rules.most_pause + mover.rules.source_patience;
  bounds.longest_copy = [work = mover.work](std::int64_t bytes) { return longest_copy(bytes, work); };
  return bounds;
}

}  // namespace lips::kubernetes
