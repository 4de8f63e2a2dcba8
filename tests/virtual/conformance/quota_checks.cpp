#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::HasSubstr;

// A quota that says what is limited and taken, as the quota controller would.
void make_quota(Bench& b, const Json& hard, const Json& used) {
  b.make("resourcequotas", "q", {{"spec", {{"hard", hard}}}});
  b.patched(b.path("resourcequotas", "q") + "/status", {{"status", {{"hard", hard}, {"used", used}}}});
}

Json requests(const Json& amounts) {
  return {{"spec",
           {{"containers",
             Json::array({{{"name", "main"}, {"image", "main:1"}, {"resources", {{"requests", amounts}}}}})}}}};
}

// The refusal of one of the first pods, whatever a server's cache does not know yet.
Replied first_refusal(Bench& b, const Json& more) {
  Replied reply;
  for (int i = 0; i < 6; ++i) {
    Json pod = b.object("pods", "p" + std::to_string(i));
    pod.merge_patch(more);
    reply = b.post(b.path("pods"), pod);
    if (reply.code != 201) return reply;
  }
  return reply;
}

void expect_exceeded(Bench& b, const Json& more, const std::string& words) {
  const Replied reply = first_refusal(b, more);
  expect_refusal(reply, 403, "Forbidden");
  EXPECT_THAT(text_at(reply.body, "/message"), HasSubstr("is forbidden: exceeded quota: q, " + words));
}

constexpr Check table_of_quotas[] = {
    {"quota_refuses_the_pod_that_exceeds_it",
     [](Bench& b) {
       make_quota(b, {{"pods", "2"}}, {{"pods", "0"}});
       expect_exceeded(b, Json::object(), "requested: pods=1, used: pods=2, limited: pods=2");
     }},
    {"quota_counts_what_it_says_is_taken",
     [](Bench& b) {
       make_quota(b, {{"count/pods", "7"}}, {{"count/pods", "6"}});
       expect_exceeded(b, Json::object(), "requested: count/pods=1, used: count/pods=7, limited: count/pods=7");
     }},
    {"quota_counts_requests_of_cpu",
     [](Bench& b) {
       make_quota(b, {{"requests.cpu", "1500m"}}, {{"requests.cpu", "0"}});
       expect_exceeded(b, requests({{"cpu", "1"}}),
                       "requested: requests.cpu=1, used: requests.cpu=1, limited: requests.cpu=1500m");
     }},
    {"quota_counts_requests_of_memory",
     [](Bench& b) {
       make_quota(b, {{"memory", "1Gi"}}, {{"memory", "0"}});
       expect_exceeded(b, requests({{"memory", "640Mi"}}),
                       "requested: memory=640Mi, used: memory=640Mi, limited: memory=1Gi");
     }},
    {"quota_counts_requests_of_other_resources",
     [](Bench& b) {
       make_quota(b, {{"requests.lips.dev/gpu", "3"}}, {{"requests.lips.dev/gpu", "0"}});
       Json pod = requests({{"lips.dev/gpu", "2"}});
       pod["spec"]["containers"][0]["resources"]["limits"] = {{"lips.dev/gpu", "2"}};
       expect_exceeded(b, pod,
                       "requested: requests.lips.dev/gpu=2, used: requests.lips.dev/gpu=2, limited: "
                       "requests.lips.dev/gpu=3");
     }},
    {"quota_names_all_that_is_exceeded",
     [](Bench& b) {
       make_quota(b, {{"pods", "1"}, {"requests.cpu", "2"}}, {{"pods", "0"}, {"requests.cpu", "0"}});
       expect_exceeded(
           b, requests({{"cpu", "1500m"}}),
           "requested: pods=1,requests.cpu=1500m, used: pods=1,requests.cpu=1500m, limited: pods=1,requests.cpu=2");
     }},
    {"quota_names_only_what_is_exceeded",
     [](Bench& b) {
       make_quota(b, {{"pods", "9"}, {"requests.cpu", "2"}}, {{"pods", "0"}, {"requests.cpu", "0"}});
       expect_exceeded(b, requests({{"cpu", "1500m"}}),
                       "requested: requests.cpu=1500m, used: requests.cpu=1500m, limited: requests.cpu=2");
     }},
    {"quota_wants_every_container_to_say_what_it_requests",
     [](Bench& b) {
       make_quota(b, {{"requests.cpu", "9"}, {"memory", "9Gi"}}, {{"requests.cpu", "0"}, {"memory", "0"}});
       const Replied reply = first_refusal(b, Json::object());
       expect_refusal(reply, 403, "Forbidden");
       EXPECT_THAT(text_at(reply.body, "/message"),
                   HasSubstr("is forbidden: failed quota: q: must specify memory for: main; requests.cpu for: main"));
     }},
    {"quota_says_at_once_what_a_pod_takes",
     [](Bench& b) {
       make_quota(b, {{"pods", "3"}}, {{"pods", "0"}});
       first_refusal(b, Json::object());
       EXPECT_EQ(text_at(b.read(b.path("resourcequotas", "q")), "/status/used/pods"), "3");
     }},
    {"quota_that_says_nothing_refuses_nothing",
     [](Bench& b) {
       b.make("resourcequotas", "q", {{"spec", {{"hard", {{"pods", "0"}}}}}});
       b.make("pods", "a");
     }},
    {"quota_of_other_objects_counts_no_pods",
     [](Bench& b) {
       make_quota(b, {{"count/configmaps", "0"}, {"services", "0"}}, {{"count/configmaps", "0"}, {"services", "0"}});
       b.make("pods", "a");
     }},
};

}  // namespace

std::span<const Check> checks_of_quotas() { return table_of_quotas; }

}  // namespace lips::virtual_cluster
