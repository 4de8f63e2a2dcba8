// The maps of Jobs that go on, by the whole job that their pod templates name (lips.dev/job). Its reduces wait for
// them, also while no pod of theirs is there: a quota refuses it, or its Job makes another one after a back-off.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kubernetes/pods/job_codec.h"

namespace lips::kubernetes {

class DeclaredMaps {
 public:
  void update(const BatchJob& job);
  void forget(const std::string& uid);

  std::uint32_t of(const std::string& key) const;
  // The keys of whole jobs whose number may have changed since the last call.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

 private:
  struct Part {
    std::string key;
    std::uint64_t maps = 0;
  };
  std::map<std::string, Part> parts_;          // by the Job's uid
  std::map<std::string, std::uint64_t> sums_;  // by the whole job's key; none is 0
  std::set<std::string> changed_;
};

}  // namespace lips::kubernetes
