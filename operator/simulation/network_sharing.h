// Max-min fair sharing of links among flows (Bertsekas & Gallager, Data Networks, 6.5.2). Knows links and paths, no
// node or store. Flows with the same path form a class. A change recomputes only the classes that it reaches through
// links that may be full.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace lips::simulation {

using LinkId = Id<struct LinkTag>;
using FlowId = Id<struct FlowTag>;

struct Path {
  static constexpr std::size_t most_links = 5;
  std::array<LinkId, most_links> links{};
  std::uint8_t count = 0;
  MebibytesPerSecond limit;  // of one flow; 0: none

  void cross(LinkId link) { links[count++] = link; }
  friend bool operator==(const Path&, const Path&) = default;
};

class SharedNetwork {
 public:
  LinkId add_link(MebibytesPerSecond capacity);
  // The path crosses at least one link; the size is positive.
  FlowId start(const Path& path, Mebibytes size, TimePoint now);
  // Ends a flow early; returns what is left of it.
  Mebibytes stop(FlowId flow, TimePoint now);
  MebibytesPerSecond rate(FlowId flow) const;
  // When the next flow ends if nothing changes; max() when none runs.
  TimePoint next_end();
  // Adds the flows that have ended by now, in a fixed order. Their ids may be reused.
  void take_ended(TimePoint now, std::vector<FlowId>& ended);

 private:
  struct Link {
    double capacity = 0;
    double demand = 0;  // if every flow ran at its own limit
    std::vector<std::uint32_t> classes;
    std::uint64_t mark = 0;
    double left = 0;
    double active = 0;
    bool may_be_full() const { return demand > capacity * (1 + 1e-12); }
  };
  struct Waiting {  // a flow, by the served amount of its class at which it ends
    double target;
    std::uint32_t flow;
    std::uint32_t generation;
    bool operator<(const Waiting& other) const {
      return target != other.target ? target > other.target : flow > other.flow;
    }
  };
  struct FlowClass {
    Path path;
    std::array<std::uint32_t, Path::most_links> position{};  // in its links' lists
    std::uint32_t count = 0;
    double limit = 0;
    double rate = 0;
    double served = 0;  // MiB to each flow since the class began
    TimePoint updated{};
    std::vector<Waiting> waiting;  // a heap; may name flows that were stopped
    std::uint64_t version = 0;
    std::uint64_t mark = 0;
    bool fixed = false;
  };
  struct Flow {
    std::uint32_t flow_class = 0;
    std::uint32_t generation = 0;
    double target = 0;
  };
  struct End {
    TimePoint at;
    std::uint32_t flow_class;
    std::uint64_t version;
    bool operator<(const End& other) const { return at != other.at ? at > other.at : flow_class > other.flow_class; }
  };
  struct PathHash {
    std::size_t operator()(const Path& path) const;
  };

  std::uint32_t class_of(const Path& path, TimePoint now);
  void remove_class(std::uint32_t id);
  void settle(FlowClass& flow_class, TimePoint now) const;
  void change_count(std::uint32_t id, std::int32_t by, TimePoint now);
  void collect_component(std::uint32_t id);
  void share(TimePoint now);
  void fix(FlowClass& flow_class, double rate, TimePoint now);
  void schedule(std::uint32_t id, TimePoint now);
  void drop_stopped(FlowClass& flow_class) const;
  void forget_stale_ends();

  std::vector<Link> links_;
  std::vector<FlowClass> classes_;
  std::vector<std::uint32_t> free_classes_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::unordered_map<Path, std::uint32_t, PathHash> by_path_;  // looked up, never iterated
  std::vector<End> ends_;                                      // a heap; entries of an old version are stale
  std::vector<std::uint32_t> component_, component_links_;
  std::vector<std::pair<double, std::uint32_t>> by_limit_;  // of the component's classes
  std::vector<std::pair<double, std::uint32_t>> levels_;  // a heap: the share that each full link leaves, and the link
  std::uint64_t mark_ = 0;
};

}  // namespace lips::simulation
