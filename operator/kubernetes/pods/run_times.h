// How long tasks run, learned from finished pods of the same template. Knows no annotations.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/units.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// Pods of one owner, and of owners that a CronJob or a person names alike (wordcount-29011320, wordcount-29011380), are
// of one template.
std::string template_of(const std::string& name_space, const std::optional<Owner>& owner, const std::string& pod);

class RunTimes {
 public:
  // A finished pod was seen, or is no longer there. What was learned stays until something else is known.
  void add(const std::string& of, Duration run_time);
  void remove(const std::string& of, Duration run_time);

  std::optional<Duration> mean(const std::string& of) const;
  // Whether some mean has moved by more than a quarter since it was last asked for.
  bool moved() const { return moved_; }
  void settle();

 private:
  struct Sum {
    std::int64_t count = 0;
    Duration total{};
    Duration last_mean{};  // when there were some
    Duration settled{};
  };
  void update(Sum& sum);

  static constexpr std::size_t most_kept = 10'000;
  std::map<std::string, Sum> sums_;
  bool moved_ = false;
};

}  // namespace lips::kubernetes
