// A cheap zone that is busy, for ten minutes unless a test says otherwise, and a dear one that is free. The data is in
// the cheap one.
#pragma once

#include <string>
#include <vector>

#include "tests/policies/case.h"

namespace lips::testing {

struct BusyCheapZone {
  BusyCheapZone() {
    cheap = builder.node({.zone = ZoneId(0), .price = 1, .slots = 4, .cpu = 4});
    dear = builder.node({.zone = ZoneId(1), .price = 2, .slots = 4, .cpu = 4});
    data = builder.block({cheap});
  }

  // Four tasks of a minute wait.
  Case at_work(const std::vector<ExpectedWork>& expected, double busy = 600) const {
    Case result("lips", builder, settings(), UsdPerMebibyte(0.0001));
    result.state.apply(WorkExpected{expected});
    const JobId running = result.add({.name = "running", .maps = 4, .cpu = busy});
    for (std::uint32_t i = 0; i < 4; ++i) {
      const TaskId task = result.task(running, i);
      result.state.apply(TaskFound{task, cheap, TimePoint{}});
    }
    result.add({.name = "pending", .blocks = {data, data, data, data}, .cpu = 60});
    return result;
  }

  static PolicySettings settings() {
    PolicySettings settings;
    settings.lips.billing = Billing::use;
    settings.lips.waiting_price = 0.5;
    settings.lips.fast_path_limit = Usd(0);
    settings.lips.keep_copies = false;
    return settings;
  }

  ClusterBuilder builder{2};
  NodeId cheap, dear;
  BlockId data;
};

// Four cores of the cheap zone for that many hours.
inline ExpectedWork hours_of_work(double hours, double at, const char* job = "nightly") {
  ExpectedWork work;
  work.job = job;
  work.at = TimePoint(seconds(at));
  work.work = CpuSeconds(4 * 3600 * hours);
  work.input = DataSetId(0);
  return work;
}

}  // namespace lips::testing
