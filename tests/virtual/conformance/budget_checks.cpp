#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

constexpr const char* not_now = "Cannot evict pod as it would violate the pod's disruption budget.";

// A budget of pods with the label, with the status that the disruption controller would give it.
void make_budget(Bench& b, const std::string& name, int allowed, const Json& more_status = Json::object()) {
  const Json made =
      b.make("poddisruptionbudgets", name, {{"spec", {{"selector", {{"matchLabels", {{"app", "guarded"}}}}}}}});
  Json status{{"disruptionsAllowed", allowed},
              {"currentHealthy", 1},
              {"desiredHealthy", 1},
              {"expectedPods", 2},
              {"observedGeneration", made["metadata"]["generation"]}};
  status.merge_patch(more_status);
  b.patched(b.path("poddisruptionbudgets", name) + "/status", {{"status", status}});
}

void make_running_pod(Bench& b, const std::string& name, bool ready = true, const std::string& app = "guarded") {
  b.make_bound_pod(name, {{"metadata", {{"labels", {{"app", app}}}}}});
  const Json condition{{"type", "Ready"}, {"status", ready ? "True" : "False"}};
  b.patched(b.path("pods", name) + "/status",
            {{"status", {{"phase", "Running"}, {"conditions", Json::array({condition})}}}});
}

constexpr Check table_of_budgets[] = {
    {"budget_that_is_used_up_forbids_an_eviction",
     [](Bench& b) {
       make_budget(b, "one", 0);
       make_running_pod(b, "a");
       expect_refusal(b.evict("a"), 429, "TooManyRequests", not_now);
       EXPECT_EQ(at(b.read(b.path("pods", "a")), "/metadata/deletionTimestamp"), Json());
     }},
    {"budget_counts_each_eviction",
     [](Bench& b) {
       make_budget(b, "one", 1);
       make_running_pod(b, "a");
       make_running_pod(b, "b");
       EXPECT_EQ(b.evict("a").code, 201);
       EXPECT_EQ(at(b.read(b.path("poddisruptionbudgets", "one")), "/status/disruptionsAllowed"), 0);
       expect_refusal(b.evict("b"), 429, "TooManyRequests", not_now);
     }},
    {"budget_of_other_pods_forbids_nothing",
     [](Bench& b) {
       make_budget(b, "one", 0);
       make_running_pod(b, "a", true, "free");
       EXPECT_EQ(b.evict("a").code, 201);
     }},
    {"budget_does_not_keep_a_pod_that_has_not_begun",
     [](Bench& b) {
       make_budget(b, "one", 0);
       b.make_bound_pod("a", {{"metadata", {{"labels", {{"app", "guarded"}}}}}});
       EXPECT_EQ(b.evict("a").code, 201);
     }},
    {"budget_whose_status_is_old_forbids_an_eviction",
     [](Bench& b) {
       make_budget(b, "one", 1, {{"observedGeneration", 0}});
       make_running_pod(b, "a");
       expect_refusal(b.evict("a"), 429, "TooManyRequests", not_now);
     }},
    {"budget_lets_a_pod_go_that_is_not_ready_while_enough_are",
     [](Bench& b) {
       make_budget(b, "one", 0);
       make_running_pod(b, "a", false);
       EXPECT_EQ(b.evict("a").code, 201);
     }},
    {"budget_keeps_a_pod_that_is_not_ready_while_too_few_are",
     [](Bench& b) {
       make_budget(b, "one", 0, {{"currentHealthy", 0}});
       make_running_pod(b, "a", false);
       expect_refusal(b.evict("a"), 429, "TooManyRequests", not_now);
     }},
    {"budgets_that_are_two_forbid_an_eviction",
     [](Bench& b) {
       make_budget(b, "one", 1);
       make_budget(b, "two", 1);
       make_running_pod(b, "a");
       expect_refusal(b.evict("a"), 500, "", "more than one PodDisruptionBudget");
     }},
    {"budget_does_not_forbid_a_deletion",
     [](Bench& b) {
       make_budget(b, "one", 0);
       make_running_pod(b, "a");
       EXPECT_EQ(b.remove(b.path("pods", "a")).code, 200);
     }},
};

}  // namespace

std::span<const Check> checks_of_budgets() { return table_of_budgets; }

}  // namespace lips::virtual_cluster
