// Every metric that the operator exposes: name, type, labels, meaning. docs/metrics.md holds the same table, which a
// test compares. Knows no value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lips {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

struct MetricAbout {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // with commas between
  std::string_view help;

  constexpr std::size_t label_count() const {
    return labels.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(labels, ','));
  }
  constexpr bool has_label(std::string_view label) const {
    for (std::string_view left = labels; !left.empty();) {
      const std::size_t end = std::min(left.find(','), left.size());
      if (left.substr(0, end) == label) return true;
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
  }
};

inline constexpr auto metric_list = [] {
  using enum MetricType;
  return std::array{
      // The program
      MetricAbout{"lips_build_info", gauge, "version,revision", "always 1; the labels say what runs"},
      MetricAbout{"lips_leader", gauge, "", "1 while this replica leads"},
      MetricAbout{"lips_synced", gauge, "", "1 while the caches hold what the cluster holds, and all that plans need"},
      MetricAbout{"lips_operator_state", gauge, "state", "1 for what this replica does now (docs/operator.md#states)"},
      MetricAbout{
          "lips_missing", gauge, "kind,needed",
          "1 while a kind cannot be listed, or another source read; needed: true, nothing is planned without it; "
          "false, plans do without"},
      MetricAbout{"lips_clock_behind_seconds", gauge, "",
                  "how far the machine's clock is behind the operator's time, which is the API server's where the two "
                  "differ by "
                  "more than 5 s"},
      MetricAbout{"lips_config_reloads_total", counter, "outcome",
                  "changes of the configuration file: applied, restart_needed or refused"},
      MetricAbout{"process_cpu_seconds_total", counter, "", "CPU time of the process"},
      MetricAbout{"process_resident_memory_bytes", gauge, "", "memory of the process"},
      MetricAbout{"process_start_time_seconds", gauge, "", "start time of the process, in seconds since 1970"},

      // Epochs
      MetricAbout{"lips_epochs_total", counter, "policy,form",
                  "plans made, by form of the model (none: no linear program)"},
      MetricAbout{"lips_epoch_seconds", histogram, "", "wall time to make a plan"},
      MetricAbout{"lips_stage_seconds", histogram, "stage", "wall time of the stages of a plan"},
      MetricAbout{"lips_solver_rows", gauge, "", "rows of the last plan's linear program"},
      MetricAbout{"lips_solver_columns", gauge, "", "columns of the last plan's linear program"},
      MetricAbout{"lips_solver_fallbacks_total", counter, "",
                  "plans for which the solver returned nothing and the greedy plan was used"},
      MetricAbout{
          "lips_plans_refused_total", counter, "kind",
          "plans that were not carried out: failed (the policy returned none), invalid (it could not be carried "
          "out), bound-above-cost (its bound was above its own cost)"},
      MetricAbout{"lips_plan_dollars", gauge, "", "cost of the last plan in the model's terms"},
      MetricAbout{"lips_plan_bound_dollars", gauge, "", "certified lower bound on that cost"},
      MetricAbout{"lips_plan_gap_ratio", gauge, "", "(cost - bound) / bound of the last plan"},
      MetricAbout{"lips_last_epoch_timestamp_seconds", gauge, "", "time of the last plan, in seconds since 1970"},

      // Dollars
      MetricAbout{
          "lips_spend_dollars_total", counter, "pool,term",
          "cost of tasks by use, at the prices when they were bound: cpu for the time on the node (so far, for running "
          "tasks), transfer and shuffle of tasks that succeeded, and the exchange of all peers; cost of copies "
          "(moves) and of storing extra "
          "copies (storage), with the pool _data"},
      MetricAbout{"lips_node_dollars_total", counter, "zone,capacity_type",
                  "bill of all nodes, used or not, from launch to termination, at least a minute each, less what "
                  "commitments cover; with the spend's transfer, shuffle, moves and storage: the invoice"},
      MetricAbout{"lips_node_core_seconds_total", counter, "zone,capacity_type",
                  "core-seconds of all nodes that are billed, covered or not"},
      MetricAbout{"lips_task_core_seconds_total", counter, "", "the part of them that tasks of LiPS held"},
      MetricAbout{"lips_predicted_dollars_total", counter, "term",
                  "what was predicted by use for tasks that have finished, when they were bound"},
      MetricAbout{"lips_counted_dollars_total", counter, "term", "what the same tasks cost by use"},
      MetricAbout{"lips_twin_counted_dollars", gauge, "",
                  "invoice in the time that the twin knows, as counted; this and the next eight as of the last "
                  "comparison"},
      MetricAbout{"lips_twin_error_ratio", gauge, "",
                  "the twin's own error: its invoice of what ran over the counted one, minus 1"},
      MetricAbout{
          "lips_twin_dollars", gauge, "regime",
          "invoice of the same work until its last job ends, as simulated under a policy; ran: the one that ran"},
      MetricAbout{"lips_twin_saved_ratio", gauge, "regime",
                  "the part of that policy's invoice that was saved; below 0: it would have cost less"},
      MetricAbout{
          "lips_twin_would_save_ratio", gauge, "regime",
          "in its place where other schedulers ran the work: the part of the invoice that the policy would have "
          "saved; below 0: it would have cost more"},
      MetricAbout{"lips_twin_wait_seconds", gauge, "regime",
                  "mean time from a job's arrival to the start of its tasks, weighted by work, in the same simulation"},
      MetricAbout{"lips_twin_window_seconds", gauge, "", "time from the first record that was compared to the last"},
      MetricAbout{"lips_twin_unknown_seconds", gauge, "", "the part of it of which the journal knows nothing"},
      MetricAbout{"lips_twin_timestamp_seconds", gauge, "", "time of the last comparison, in seconds since 1970"},
      MetricAbout{"lips_twin_comparisons_total", counter, "outcome", "comparisons with other policies: made or failed"},
      MetricAbout{"lips_twin_comparison_seconds", histogram, "",
                  "CPU time of a comparison; a rest of at least 50 times as long follows"},
      MetricAbout{"lips_prices_timestamp_seconds", gauge, "",
                  "time of the oldest price by which nodes that are there or may be launched count, in seconds since "
                  "1970; those of prices.metrics are as old as its last answer"},
      MetricAbout{"lips_prices_read_timestamp_seconds", gauge, "",
                  "when prices.metrics last answered with prices, in seconds since 1970"},
      MetricAbout{"lips_unknown_price_nodes", gauge, "instance_type",
                  "nodes whose type is in no price sheet and that have the default price"},
      MetricAbout{"lips_learned_speed_ratio", gauge, "instance_type",
                  "how fast a core of the type is, as learned from tasks of one template on several types; 1: as the "
                  "mean of them"},
      MetricAbout{
          "lips_sold_out_offers", gauge, "",
          "offers of the autoscaler (type, zone, capacity type) that count as sold out because no node came of orders"},

      // Tasks and pods
      MetricAbout{"lips_pending_tasks", gauge, "reason",
                  "pending tasks after the last plan, by reason; queued: planned, and waiting for room or data"},
      MetricAbout{"lips_pending_pods", gauge, "reason", "pods that are not tasks of a plan yet, by reason"},
      MetricAbout{"lips_longest_wait_seconds", gauge, "",
                  "time since the creation of the oldest pod that waits and may be placed; 0: none waits"},
      MetricAbout{"lips_running_tasks", gauge, "pool", "bound and running tasks"},
      MetricAbout{"lips_tasks_bound_total", counter, "pool,locality",
                  "tasks bound, by locality of their read: node, rack, zone, remote or none"},
      MetricAbout{"lips_read_bytes_total", counter, "locality", "input of bound tasks"},
      MetricAbout{"lips_tasks_finished_total", counter, "pool", "tasks that finished"},
      MetricAbout{"lips_tasks_lost_total", counter, "pool",
                  "tasks that failed, or were evicted or refused, and are pending again"},
      MetricAbout{"lips_tasks_taken_back_total", counter, "pool,reason",
                  "running tasks that a plan ends, by their own pool and for whom: share (another pool is below its "
                  "share) or priority (a task of its own pool has a higher one)"},
      MetricAbout{"lips_taken_back_dollars_total", counter, "pool,reason", "work and reads of these tasks so far"},
      MetricAbout{
          "lips_tasks_not_taken_back_total", counter, "pool",
          "of these tasks, those that stay: a PodDisruptionBudget, a missing right, or nobody would create them "
          "anew"},
      MetricAbout{"lips_nodes", gauge, "zone,schedulable", "nodes"},

      // Pools
      MetricAbout{"lips_pool_cores", gauge, "pool", "cores in use"},
      MetricAbout{"lips_pool_share_ratio", gauge, "pool", "cores in use as a share of all schedulable cores"},
      MetricAbout{"lips_pool_pending_tasks", gauge, "pool", "pending tasks before the last plan"},
      MetricAbout{"lips_pool_held_pods", gauge, "pool,reason",
                  "pods of the pool that no plan helps, by reason: held, or NotTaken by their scheduler"},
      MetricAbout{"lips_pool_longest_wait_seconds", gauge, "pool",
                  "time since the creation of the oldest pod of the pool that waits and may be placed; 0: none waits"},
      MetricAbout{"lips_pool_held_cores", gauge, "pool",
                  "cores that the last plan leaves empty for tasks of the pool that wait for others or have not come, "
                  "also beside nodes that it orders (lips holds)"},
      MetricAbout{"lips_pool_unpaid_core_seconds", gauge, "pool",
                  "core-seconds that were held for the pool (lips holds) beyond what its tasks have used; "
                  "above keepBudget times the cores that are there, nothing more is kept for it"},
      MetricAbout{"lips_pool_fair_share_ratio", gauge, "pool",
                  "what the pool is entitled to, as a part of its dominant resource, nodes that could be launched "
                  "included; this and the next eight as of the last plan of a policy with shares"},
      MetricAbout{"lips_pool_dominant_share_ratio", gauge, "pool",
                  "what the pool uses with what the plan starts, as a part of its dominant resource"},
      MetricAbout{"lips_pool_wanted_share_ratio", gauge, "pool",
                  "what the pool uses or waits for, up to its maximum, as a part of its dominant resource"},
      MetricAbout{"lips_pool_held_ratio", gauge, "pool",
                  "room that stays empty for tasks of the pool that wait for others or have not come, as a part of its "
                  "dominant resource (lips holds)"},
      MetricAbout{"lips_pool_lent_ratio", gauge, "pool", "of what the pool is entitled to, the part that others use"},
      MetricAbout{"lips_pool_borrowed_ratio", gauge, "pool", "what the pool uses above what it is entitled to"},
      MetricAbout{"lips_pool_price_of_sharing_dollars", gauge, "pool",
                  "what one more core-hour of its share would save the pool, at the program's prices"},
      MetricAbout{"lips_pool_below_share_timestamp_seconds", gauge, "pool",
                  "since when the pool uses less than 95 % of what it is entitled to; 0: it does not"},
      MetricAbout{"lips_fairness_ratio", gauge, "",
                  "Jain's index of use over what pools are entitled to, over pools that ask for something; 1 is fair"},
      MetricAbout{"lips_pools_without_series", gauge, "",
                  "pools beyond the first 200, which have no gauges of their own and are counted as _other"},

      // Targets
      MetricAbout{
          "lips_target_wanted", gauge, "pool,kind",
          "a target: budget-per-day in USD, mean-wait in seconds, complete-by in seconds from now; the pool _all "
          "stands for all of them"},
      MetricAbout{"lips_target_reached", gauge, "pool,kind",
                  "of this day so far, in UTC; complete-by: how many seconds late the work due last was done"},
      MetricAbout{
          "lips_target_forecast", gauge, "pool,kind",
          "of a day at the present price of waiting; complete-by: seconds that the work due takes at full speed"},
      MetricAbout{
          "lips_target_state", gauge, "pool,kind,state",
          "1 for the present state: learning, held, behind or cannot (be held: the log says what it would take)"},
      MetricAbout{"lips_target_waiting_factor", gauge, "pool,kind",
                  "what the pool's targets together multiply the price of waiting with"},
      MetricAbout{
          "lips_job_targets", gauge, "pool,kind,state",
          "jobs that wait or run and have a target of their own (complete-by, max-wait), by state: held, behind, "
          "cannot (be held) or missed"},
      MetricAbout{"lips_job_targets_missed_total", counter, "pool,kind",
                  "jobs that missed a target of their own, once as soon as they have"},
      MetricAbout{"lips_pool_left_alone", gauge, "pool,reason",
                  "1 while a pool whose mode is steer is left to its schedulers: PlansRefused or BudgetOverspent"},

      // Moves
      MetricAbout{"lips_moves", gauge, "phase",
                  "data moves by phase: pending, copying, verifying, committed or failed"},
      MetricAbout{"lips_moves_ended_total", counter, "pool,outcome",
                  "data moves by the pool of the data's namespace: committed or failed"},
      MetricAbout{"lips_moved_bytes_total", counter, "", "bytes of committed moves"},
      MetricAbout{"lips_extra_copies", gauge, "", "replicas that were made to save transfer, and may be dropped"},
      MetricAbout{"lips_extra_copy_bytes", gauge, "", "size of these replicas"},

      MetricAbout{"lips_unowned_copies", gauge, "",
                  "files of copies that belong to no DataSet, in all stores, as of the last look at each"},
      MetricAbout{"lips_unowned_copy_bytes", gauge, "", "size of these files"},

      // Binding and the API server
      MetricAbout{"lips_binds_total", counter, "outcome",
                  "bindings: bound, conflict (another scheduler was first), refused or failed"},
      MetricAbout{
          "lips_steered_total", counter, "pool,zone",
          "pods of other schedulers whose gate was taken away, by the zone that they got; none: let go without one"},
      MetricAbout{"lips_bind_seconds", histogram, "", "time from the decision to the API server's answer"},
      MetricAbout{"lips_pod_wait_seconds", histogram, "", "time from a pod's creation to its binding"},
      MetricAbout{"lips_api_requests_total", counter, "verb,resource,code",
                  "requests to the API server; code 0 means no answer"},
      MetricAbout{"lips_refused_writes_total", counter, "verb,resource,code",
                  "writes that the API server refused for good: a right is missing, a policy forbids it, or the object "
                  "is invalid"},
      MetricAbout{
          "lips_stopped_writes_total", counter, "verb,resource",
          "writes that LiPS did not send, because it had written the same object more than 120 times in a minute"},
      MetricAbout{"lips_api_request_seconds", histogram, "verb", "time to the answer"},
      MetricAbout{"lips_watches_total", counter, "resource,event", "watches that were restarted or listed again"},
      MetricAbout{"lips_watch_heard_timestamp_seconds", gauge, "resource",
                  "when the watch last delivered something, if only a bookmark (once a minute), in seconds since 1970"},
      MetricAbout{
          "lips_driver_answers_total", counter, "outcome",
          "Spark drivers asked how much their executors read and exchange: read, unreachable (no answer in time, "
          "or still starting) or refused (an answer that is no list of executors)"},
      MetricAbout{"lips_rejected_objects_total", counter, "kind,reason",
                  "objects that cannot be decoded, use a field that is not honoured, or announce work that "
                  "nobody can count on"},

      // Journal
      MetricAbout{"lips_journal_records_total", counter, "outcome",
                  "records of plans: written, skipped (too soon, or too much at once) or failed"},
      MetricAbout{"lips_journal_bytes", gauge, "", "size of the journal on disk"},
  };
}();

// The table of docs/metrics.md.
std::string metric_table();

}  // namespace lips
