// The writes that the API server of a virtual cluster was sent, as its audit log has them, and what no operator may do.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/units.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::drills {

struct Write {
  TimePoint at;
  kubernetes::Verb verb = kubernetes::Verb::create;
  std::string path;  // without the query; of a creation with the name
  std::string body;
  int code = 0;
  bool succeeded() const { return code >= 200 && code < 300; }
};

class Audit {
 public:
  // `on_write`: called after each write, at most once inside another.
  explicit Audit(std::function<void(const Write&)> on_write = {}) : on_write_(std::move(on_write)) {}
  // This outlives the cluster's last request. `others`: true while somebody else asks.
  void watch(VirtualKubernetes& cluster, std::function<bool()> others = {});

  const std::vector<Write>& writes() const { return writes_; }
  // Most writes of one verb to one object within a minute; events are not counted.
  struct Busiest {
    std::size_t writes = 0;
    std::string what;
  };
  Busiest busiest() const;
  // The store is of an earlier time: bindings before are void.
  void begin_anew() { valid_from_ = writes_.size(); }
  std::size_t without_events() const;
  // Pods that two bindings have taken.
  std::vector<std::string> bound_twice() const;
  // Bindings of pods that an earlier one had bound, and that the server therefore refused.
  std::vector<std::string> bound_in_vain() const;
  // Writes to an object that say what the write before said, and that the server accepted: verb and path.
  std::vector<std::string> repeated() const;

 private:
  const std::function<void(const Write&)> on_write_;
  std::vector<Write> writes_;
  std::size_t valid_from_ = 0;
};

}  // namespace lips::virtual_cluster::drills
