// Drivers whose workers do not come, by namespace. Room is kept for workers that a driver has announced; where those of
// one did not come, because a quota or a webhook refuses them or nobody makes them, the next drivers of that namespace
// start beside room for one worker each, and keep none once they run, until the workers of one have come. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace lips::kubernetes {

struct AwaitedApplication {
  std::string key, name_space;  // of the whole job
  std::uint32_t announced = 0;  // workers
  std::uint32_t here = 0;       // of them, on a node or not
  TimePoint since{};            // its driver runs, and no other pod of it has come
};

class AwaitedWorkers {
 public:
  static constexpr Duration patience = std::chrono::minutes(2), mistrust = std::chrono::hours(1);

  // All applications whose driver runs; others are forgotten.
  void review(const std::vector<AwaitedApplication>& applications, TimePoint now);
  // True: what the namespace's drivers announce does not count.
  bool in_vain(const std::string& name_space) const { return in_vain_until_.contains(name_space); }
  // Applications of such namespaces whose driver runs without any worker; each is named once.
  std::vector<std::string> take_mistrusted() { return std::exchange(mistrusted_, {}); }
  // Its workers have come, or did not come in time.
  bool is_over(const std::string& application) const { return settled_.contains(application); }

 private:
  std::set<std::string> settled_;                   // applications whose workers came, or did not come in time; by key
  std::map<std::string, TimePoint> in_vain_until_;  // by namespace
  std::set<std::string> named_;                     // as mistrusted; by key
  std::vector<std::string> mistrusted_;
};

}  // namespace lips::kubernetes
