// A tenant beside the scenario's, who has a namespace and the rights of one there: careless, hostile or both. Its pods
// run when they are bound, and everything of it goes in the end.
#pragma once

#include <string>
#include <vector>

#include "tests/virtual/storms/storm_case.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::storms {

class Strangers {
 public:
  static constexpr const char* name_space = "strangers";

  Strangers(const StormCase& storm, std::vector<std::string> data_sets);
  // This and the cluster outlive the run.
  void begin(VirtualKubernetes& cluster);
  // The request that the server answers now is theirs.
  bool asks() const { return asks_; }
  std::size_t pods_ended() const { return ended_; }

 private:
  void act();
  void be_careless(Random& random);
  void be_hostile(Random& random);
  void leave();

  void make_pod(Random& random, bool hostile);
  Json pod(Random& random) const;
  void say_what_makes_no_sense(Random& random, Json& annotations) const;
  void say_what_only_the_operator_says(Random& random, Json& metadata) const;
  void make_data_set(Random& random);
  void make_job(Random& random);
  void change_pod(Random& random);
  void delete_pod(Random& random);
  std::string any_pod(Random& random) const;  // empty: there is none
  std::string any_node(Random& random) const;
  std::string any_data_set(Random& random) const;

  void follow(const ObjectChange& change);
  void end(const std::string& key, const std::string& uid, const char* phase);
  void collect_pods_of_lost_nodes();
  void ask(kubernetes::Verb verb, const std::string& path, const Json& body = nullptr);

  const bool careless_, hostile_;
  const PodMode mode_;
  const std::vector<std::string> data_sets_;  // of others: "namespace/name"
  Random carelessness_, malice_, kubelet_;
  VirtualKubernetes* cluster_ = nullptr;
  TimePoint leaves_;
  int made_ = 0;
  std::size_t ended_ = 0;
  bool asks_ = false;
};

}  // namespace lips::virtual_cluster::storms
