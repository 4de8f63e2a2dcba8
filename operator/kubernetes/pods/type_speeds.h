// Learns how fast the cores of instance types are beside each other, from the run times of tasks of one template on
// several types. Knows no prices.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/units.h"

namespace lips::kubernetes {

class TypeSpeeds {
 public:
  // A task of the template has ended on a node of the type. Recent tasks count most.
  void add(const std::string& of, const std::string& type, Duration took);

  // 1 is the mean of the types that are known: so fast is one that nothing is known of. As of the last mark_reviewed(),
  // so that nodes of one type are equally fast in one listing.
  double of(const std::string& type) const;
  // Says whether some speed has moved by more than a twentieth since mark_reviewed().
  bool moved() const { return moved_; }
  void mark_reviewed();
  const std::map<std::string, double>& reviewed() const { return reviewed_; }

 private:
  struct Sum {
    double count = 0, logs = 0;  // of tasks; of the logarithms of their seconds
  };
  struct Template {
    std::map<std::string, Sum> on;  // by type
    std::uint64_t used = 0;
  };
  std::map<std::string, double> fitted() const;

  static constexpr std::size_t most_kept = 1000;  // templates
  static constexpr double remembered = 200;       // tasks of a template on a type; after that older ones count half
  std::map<std::string, Template> templates_;
  std::map<std::string, double> reviewed_;
  std::uint64_t turn_ = 0, next_fit_ = 50;  // tasks
  bool moved_ = false;
};

}  // namespace lips::kubernetes
