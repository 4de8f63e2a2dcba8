#include "virtual/quota_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "virtual/api_server.h"
#include "virtual/kube_objects.h"
#include "virtual/quota_admission.h"
#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster {
namespace {

class Tenant {
 public:
  Tenant(std::uint64_t seed) : random_(seed), server_(loop_, seed) {
    server_.serve(quotas_path);
    server_.serve(pods_of_quotas);
    controller_.emplace(server_.objects(), loop_);
    most_pods_ = 1 + static_cast<std::int64_t>(random_.below(6)),
    most_cpu_ = 500 * (1 + static_cast<std::int64_t>(random_.below(12)));
    ask(kubernetes::Verb::create, "/api/v1/namespaces/n/resourcequotas",
        {{"metadata", {{"name", "q"}}},
         {"spec", {{"hard", {{"pods", std::to_string(most_pods_)}, {"cpu", std::to_string(most_cpu_) + "m"}}}}}});
    loop_.run(std::chrono::seconds(2));
  }

  // Makes pods, ends them and deletes them.
  void act() {
    const double what = random_.uniform();
    if (what < 0.6) {
      const int code =
          ask(kubernetes::Verb::create, "/api/v1/namespaces/n/pods",
              {{"metadata", {{"name", "p" + std::to_string(made_++)}}},
               {"spec",
                {{"containers",
                  Json::array({{{"name", "main"},
                                {"resources",
                                 {{"requests", {{"cpu", std::to_string(250 * (1 + random_.below(8))) + "m"}}}}}}})}}}});
      (code == 201 ? admitted_ : refused_) += 1;
      return;
    }
    std::vector<std::string> names;
    for (const auto& [key, pod] : server_.objects().all(pods_of_quotas)) names.push_back(key.substr(2));
    if (names.empty()) return;
    const std::string path = "/api/v1/namespaces/n/pods/" + names[random_.below(names.size())];
    if (what < 0.8)
      ask(kubernetes::Verb::patch, path + "/status", {{"status", {{"phase", "Succeeded"}}}});
    else
      ask(kubernetes::Verb::remove, path, nullptr);
  }
  void expect_within() const {
    const auto [pods, cpu] = taken();
    EXPECT_LE(pods, most_pods_);
    EXPECT_LE(cpu, most_cpu_);
  }
  void expect_counted() {
    loop_.run(std::chrono::seconds(2));
    const Json used = (*server_.objects().find(quotas_path, "n/q")->json)["status"]["used"];
    const auto [pods, cpu] = taken();
    EXPECT_EQ(used["pods"], std::to_string(pods));
    EXPECT_EQ(read_amounts(used).cpu, cpu);
  }
  void wait() { loop_.run(seconds(random_.uniform(0, 3))); }
  int admitted_ = 0, refused_ = 0;

 private:
  int ask(kubernetes::Verb verb, const std::string& path, const Json& body) {
    kubernetes::ApiRequest request;
    request.verb = verb;
    request.path = path;
    if (!body.is_null()) request.body = body.dump();
    if (verb == kubernetes::Verb::patch) request.content_type = kubernetes::merge_patch;
    return server_.handle(request).code;
  }
  // Pods that have not ended, and what they request.
  std::pair<std::int64_t, std::int64_t> taken() const {
    std::int64_t pods = 0, cpu = 0;
    for (const auto& [key, stored] : server_.objects().all(pods_of_quotas)) {
      const KubePod pod = read_kube_pod(*stored.json);
      if (!pod.ended) ++pods, cpu += pod.requests.cpu;
    }
    return {pods, cpu};
  }

  Random random_;
  VirtualLoop loop_{TimePoint(std::chrono::hours(500'000))};
  mutable ApiServer server_;
  std::optional<QuotaController> controller_;
  std::int64_t most_pods_ = 0, most_cpu_ = 0;
  int made_ = 0;
};

TEST(Quotas, AreNeverExceededAndSayWhatIsTaken) {
  int admitted = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Tenant tenant(seed);
    for (int i = 0; i < 80; ++i) {
      tenant.act();
      tenant.expect_within();
      tenant.wait();
    }
    tenant.expect_counted();
    admitted += tenant.admitted_, refused += tenant.refused_;
  }
  EXPECT_GT(admitted, 600);
  EXPECT_GT(refused, 600);
}

}  // namespace
}  // namespace lips::virtual_cluster
