// How long tasks run, learned from pods of the same template: from those that are over, and from those that already run
// longer than expected. Knows no annotations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// Pods of one owner, and of owners that a CronJob or a person names alike (wordcount-29011320, wordcount-29011380), are
// of one template.
std::string template_of(const std::string& name_space, const std::optional<Owner>& owner, const std::string& pod);

struct RunTime {
  Duration took{};
  Duration declared{};  // what its annotations said; 0: nothing
};

class RunTimes {
 public:
  // A task is over. The latest count most.
  void add(const std::string& of, RunTime task);
  // Of tasks that run now `took` is their age. One that is older than expected says that the others may be, too: it is
  // taken to run as long again, and counts with those that are over. `assumed`: of tasks of which nothing is known.
  void review(const std::map<std::string, std::vector<RunTime>>& running, Duration assumed);

  std::optional<Duration> mean(const std::string& of) const;
  // How many times as long as declared such tasks take; 1 where that is less than twice as long, or not known.
  double excess(const std::string& of) const;
  // Whether something has moved by more than a quarter since it was last asked for.
  bool moved() const { return moved_; }
  void mark_reviewed();

 private:
  struct Sum {
    double count = 0, seconds = 0;           // all
    double declared = 0, over_declared = 0;  // seconds: what was declared, and what those tasks took
    void add(RunTime task);
    void halve();
  };
  struct Entry {
    Sum ended, overdue;
    std::uint64_t used = 0;  // when it last learned something
    double reviewed_mean = 0, reviewed_excess = 1;
    double mean() const;
    double excess() const;
  };
  void note(Entry& entry);
  Entry* entry_of(const std::string& of);

  static constexpr std::size_t most_kept = 10'000;
  static constexpr double remembered = 200;  // tasks; then older ones count half
  std::map<std::string, Entry> entries_;
  std::uint64_t turn_ = 0;
  bool moved_ = false;
};

}  // namespace lips::kubernetes
