// Learns how long tasks run from pods of the same template: from those that have ended, and from those that already run
// longer than expected. Knows no annotations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// Pods of one owner are of one template, and so are pods of owners whose names differ in a number only
// (wordcount-29011320, wordcount-29011380), as a CronJob gives them.
std::string template_of(const std::string& name_space, const std::optional<Owner>& owner, const std::string& pod);

struct RunTime {
  Duration took{};
  Duration declared{};  // by its annotations; 0: not declared
};

class RunTimes {
 public:
  // A task has ended. Recent tasks count most.
  void add(const std::string& of, RunTime task);
  // For running tasks `took` is their age. A task that is older than expected suggests that others will be too: it
  // counts as one that took twice its age. `assumed` is the run time of tasks of which nothing is known.
  void review(const std::map<std::string, std::vector<RunTime>>& running, Duration assumed);

  std::optional<Duration> mean(const std::string& of) const;
  // How many times as long as declared such tasks take; 1 if that is less than twice, or not known.
  double excess(const std::string& of) const;
  // Says whether some mean has moved by more than a quarter since it was reviewed last.
  bool moved() const { return !moved_.empty(); }
  // Those that have, which count as reviewed now.
  std::set<std::string> take_moved();
  void mark_reviewed();  // all

 private:
  struct Sum {
    double count = 0, seconds = 0;           // all
    double declared = 0, over_declared = 0;  // seconds: declared, and taken by the tasks that declared
    void add(RunTime task);
    void halve();
  };
  struct Entry {
    Sum ended, overdue;
    std::uint64_t used = 0;  // when it last learned something
    double reviewed_mean = 0, reviewed_excess = 1;
    double mean() const;
    double excess() const;
    void mark_reviewed() { reviewed_mean = mean(), reviewed_excess = excess(); }
  };
  void note(const std::string& of, const Entry& entry);
  Entry* entry_of(const std::string& of);

  static constexpr std::size_t most_kept = 10'000;
  static constexpr double remembered = 200;  // tasks; after that older ones count half
  std::map<std::string, Entry> entries_;
  std::uint64_t turn_ = 0;
  std::set<std::string> moved_;
};

}  // namespace lips::kubernetes
