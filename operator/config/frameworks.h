// How frameworks mark the pods of one application: by labels and annotations that they write anyway. Knows no pods.
#pragma once

#include <string>
#include <vector>

namespace lips {

struct Framework {
  std::string name;
  std::string group;           // label, else annotation; pods of a namespace with an equal value are one application
  std::string driver;          // "label=value" of the pod that starts the others; empty: none does
  std::string only;            // "label=value" that a pod must have; empty: any
  std::string pods;            // annotation with the number of pods of the application; empty: none
  bool exchanges = true;       // its pods exchange data while they run, and start together
  std::string same = {};       // label that all runs of an application have alike, where drivers have Spark's REST API
  bool workers_first = false;  // workers can be created before their driver, and need it to make progress
  friend bool operator==(const Framework&, const Framework&) = default;
};
using Frameworks = std::vector<Framework>;

// In order of precedence: the first that matches a pod names its application.
Frameworks default_frameworks();

}  // namespace lips
