// A small cluster with objects that announce work, and what is expected of them within four hours.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/adapter/expected_jobs.h"
#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/adapter/small_cluster.h"

namespace lips::kubernetes {

class AnnouncingCluster : public SmallCluster {
 protected:
  AnnouncingCluster() { list({{"etl/events", 10}}); }

  ExpectedJobs expected(const std::string& now = "2026-11-23T10:00:00Z") const {
    const auto planned = [this](const Pod& pod, const PodAnnotations& task) {
      asked_of_pool_ = task.pool;
      return pod.scheduler == "lips";
    };
    const WorkHistory history{run_times_, std::chrono::minutes(1)};
    return expected_jobs({jobs_, cron_jobs_, workflows_, announced_, arrivals_, released_},
                         {*index_, history, planned, may_read_}, *parse_time(now), std::chrono::hours(4));
  }

  RunTimes run_times_;
  std::map<std::string, BatchJob> jobs_;
  std::map<std::string, CronJob> cron_jobs_;
  std::map<std::string, Workflow> workflows_;
  std::vector<Announcement> announced_;
  std::map<std::string, TimePoint> arrivals_;
  std::function<bool(const std::string& uid)> released_;
  mutable std::string asked_of_pool_;  // whether the operator plans pods of it, the last time
  std::function<bool(const std::string& data_set, const std::string& name_space)> may_read_;
};

}  // namespace lips::kubernetes
