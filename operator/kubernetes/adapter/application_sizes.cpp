#include "kubernetes/adapter/application_sizes.h"

#include <utility>

#include "kubernetes/api/config_map.h"
#include "kubernetes/pods/spark_properties.h"

namespace lips::kubernetes {
namespace {

constexpr int most_failures = 8;  // in 25 s: it may come long after its driver where the API server is busy

std::string properties_in(const std::string& config_map) {
  const TextMap texts = config_map_texts(config_map);
  const std::string* file = find_text(texts, spark_properties_file);
  return file ? *file : "";
}

}  // namespace

ApplicationSizes::ApplicationSizes(const Surroundings& around)
    : around_(around), requests_(std::make_unique<ObjectWrites>(around.client, around.may_act, around.wake)) {}

void ApplicationSizes::found(const PodRecord& pod) {
  const bool waits = pod.state == PodState::waiting || pod.state == PodState::held || pod.on_node();
  if (awaits_size(pod) && waits) asked_.try_emplace(pod.meta.uid, Asked{pod.meta, pod.properties_from});
}

void ApplicationSizes::ask(const std::string& uid, TimePoint now) {
  const Asked& asked = asked_.at(uid);
  if (!requests_->free(uid, now)) return;
  requests_->send(uid, config_map_read(asked.driver.name_space, asked.config_map),
                  [this, uid](const Answer& answer) { answered(uid, answer); });
}

// A ConfigMap may come after the pod that mounts it.
void ApplicationSizes::answered(const std::string& uid, const Answer& answer) {
  const auto asked = asked_.find(uid);
  if (asked == asked_.end()) return;
  PodRecord* driver = around_.pods.find(asked->second.driver);
  const bool refused = !answer && answer.error().code == ErrorCode::invalid_input;
  if (driver && !answer && !refused && ++asked->second.failures < most_failures) return;
  if (refused && !std::exchange(said_, true))
    around_.log.warning(
        "cannot read how many executors Spark applications start with; what helps: the right to get configmaps "
        "(rbac.sparkConfigMaps of the chart), or lips.dev/tasks on the driver",
        {{"pod", full_name(asked->second.driver)}, {"why", answer.error().message}});
  if (driver) {
    const std::string properties = answer ? properties_in(*answer) : "";
    around_.pods.set_size(*driver, properties.empty() ? SparkExecutors{} : read_spark_executors(properties));
  }
  asked_.erase(asked);
}

void ApplicationSizes::flush(TimePoint now) {
  requests_->collect(now);
  if (!around_.may_act()) return;
  for (const auto& [uid, asked] : asked_) ask(uid, now);
}

}  // namespace lips::kubernetes
