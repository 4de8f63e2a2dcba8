#include "cmd/commands.h"

#include <array>

namespace lips::cmd {

namespace {

constexpr auto table = std::to_array<Command>({
    {"operator", "schedule the pods and data of a Kubernetes cluster, or of a simulated one, until stopped",
     run_operator},
    {"status", "say whether a running operator decides and, if not, why", run_status},
    {"why", "say why a pod waits and what would start it, from a running operator", run_why},
    {"what-if", "compare the plan of now with the one after a change, from a running operator", run_what_if},
    {"plans", "list the last plans of a running operator", run_plans},
    {"data", "list where the data of a running operator's cluster lies", run_data},
    {"moves", "list the moves of data in flight", run_moves},
    {"expected", "list jobs that are announced and have not come, and the room that is left for them", run_expected},
    {"holds", "list the room that the present plan leaves empty, and for whom", run_holds},
    {"report", "list what pods of other schedulers cost, and would have cost where LiPS would have put them",
     run_report},
    {"ledger", "list the dollars of each day, pool and job", run_ledger},
    {"targets", "list the targets of a running operator's pools, and how far they are held", run_targets},
    {"applications", "list what is learned of the bytes that Spark applications exchange and read", run_applications},
    {"simulate", "run policies on a scenario and compare dollars, times, locality and fairness", run_simulate},
    {"tune", "simulate your jobs at several prices of waiting, and recommend one", run_tune},
    {"plan", "make one plan for a snapshot of a cluster: cost, lower bound, what runs, moves and waits", run_plan},
    {"replay", "repeat the plans in an operator's journal, bit for bit", run_replay},
    {"record", "cut epochs out of an operator's journal, or write what happened in it as a scenario", run_record},
    {"twin", "simulate what an operator's journal has seen under other schedulers: what would it have cost?", run_twin},
    {"generate", "write a random snapshot or scenario of a given size and shape", run_generate},
    {"policies", "list the policies", run_policies},
    {"explain", "explain whether it pays to move data to a cheaper node", run_explain},
    {"experiment", "repeat experiments of published papers and compare with their claims", run_experiment},
    {"prices", "show prices of instance types, or convert prices that other programs print", run_prices},
    {"encode", "cut a file into native and parity blocks for an erasure-coded data set", run_encode},
    {"decode", "rebuild a lost block from other blocks of its stripe", run_decode},
    {"completion", "write a script with which a shell completes commands and options", run_completion},
});

}  // namespace

std::span<const Command> commands() { return table; }

}  // namespace lips::cmd
