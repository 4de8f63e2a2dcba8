// Counts the workers that each run of an application has at once, from its pods. Knows no framework.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace lips::kubernetes {

class RunSizes {
 public:
  struct Run {
    std::string application, run;  // both "namespace/name"
    friend bool operator==(const Run&, const Run&) = default;
  };
  // A pod of the run is on a node; `driver`: it starts the others.
  void runs(const std::string& uid, const Run& of, bool driver);
  bool counts(const std::string& uid) const { return run_of_.contains(uid); }
  struct Ended {
    Run of;
    std::uint32_t workers = 0;  // at once, at most
  };
  // A pod has ended or is gone. The run, if that was its last pod and it has had workers.
  std::optional<Ended> ended(const std::string& uid);
  std::size_t kept() const { return run_of_.size(); }

 private:
  struct Open {
    Run of;
    std::set<std::string> workers, drivers;  // by uid
    std::uint32_t most = 0;
  };
  std::map<std::string, Open> open_;           // by run
  std::map<std::string, std::string> run_of_;  // by uid of a pod
};

}  // namespace lips::kubernetes
