// The parts of pods and nodes that kube-scheduler reads, as values. Shares no decoder with the adapter, which is tried
// against it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// CPU in thousandths of a core, memory in bytes, all others in units.
struct KubeAmounts {
  std::int64_t cpu = 0, memory = 0;
  std::map<std::string, std::int64_t> others;

  void add(const KubeAmounts& more, std::int64_t times = 1);
  void raise_to(const KubeAmounts& least);
  std::int64_t of(const std::string& resource) const;
  friend bool operator==(const KubeAmounts&, const KubeAmounts&) = default;
};
KubeAmounts read_amounts(const Json& list);

struct KubeRequirement {
  std::string key, op;
  std::vector<std::string> values;
};
// All requirements have to hold; a term without any holds nowhere.
struct KubeTerm {
  std::vector<KubeRequirement> labels, fields;
};
struct KubePreference {
  std::int64_t weight = 0;
  KubeTerm term;
};
struct KubeToleration {
  std::string key, op, value, effect;
};
struct KubeTaint {
  std::string key, value, effect;
};
struct KubePort {
  std::int64_t port = 0;
  std::string protocol, address;
  friend bool operator==(const KubePort&, const KubePort&) = default;
};

struct KubePod {
  std::string key, name, name_space, uid, node, scheduler;
  std::string kind;  // pods of one kind fit the same nodes and score them alike
  std::int64_t priority = 0;
  bool gated = false, deleting = false, ended = false;
  KubeAmounts requests;
  // CPU and memory as scores count them: a container that asks for nothing takes a little.
  KubeAmounts counted;
  std::map<std::string, std::string> selector;
  std::optional<std::vector<KubeTerm>> required;  // one of them has to hold
  std::vector<KubePreference> preferred;
  std::vector<KubeToleration> tolerations;
  std::vector<KubePort> ports;
  std::string said;  // the message of PodScheduled=False, reason Unschedulable; empty: that is not what it says
};
KubePod read_kube_pod(const Json& pod);

struct KubeNode {
  std::string name;
  std::map<std::string, std::string> labels;
  std::vector<KubeTaint> taints;
  bool unschedulable = false;
  KubeAmounts allocatable;
};
KubeNode read_kube_node(const Json& node);

// A node with what its pods take.
struct KubeRoom {
  KubeNode node;
  KubeAmounts taken, counted;
  std::int64_t pods = 0;
  std::vector<KubePort> ports;

  void put(const KubePod& pod);
  void take_away(const KubePod& pod);
};

}  // namespace lips::virtual_cluster
