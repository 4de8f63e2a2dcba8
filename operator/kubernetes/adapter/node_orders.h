// Orders nodes from the cluster's autoscaler where the plan wants them. Where our pods would do, their own
// specification cannot be changed any more; so for each task that is to start on a new node there is a pod with the
// task's needs and the labels of the place. No scheduler binds it; autoscalers take it for one that has found no room.
// Works with every autoscaler that launches nodes for pending pods. Decides nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/log.h"
#include "kubernetes/adapter/node_order.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/api/turns.h"
#include "kubernetes/data/object_writes.h"

namespace lips::kubernetes {

class NodeOrders {
 public:
  struct Surroundings {  // all outlive it
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;  // an answer has come
    Log& log;
  };
  struct Place {
    std::string name_space;  // of the pods; empty: nothing can be ordered
    std::string scheduler;   // names them and their scheduler, which does not exist: "lips-orders"
    ObjectMeta owner;        // the operator's own pod: without it they are removed; no uid: they stay
  };
  NodeOrders(Surroundings surroundings, Place place);

  // False for a while after the API server has refused an order.
  bool possible(TimePoint now) const { return !place_.name_space.empty() && now >= refused_until_; }
  // From now on so many of each, and no others. Before the first call those of the process before stay. Namespaces take
  // turns until there are as many orders as there may be.
  void want(const std::map<OwnedOrder, int>& orders);
  // The number of orders that there are to be for that namespace.
  std::size_t wanted_for(const std::string& name_space) const;
  // The number that there are to be.
  std::size_t wanted() const { return wanted_.size(); }
  // Those of which an autoscaler can see one.
  std::set<NodeOrder> standing() const;
  // True: the pod is an order, made by this process or the one before it.
  bool found(const Pod& pod);
  void gone(const ObjectMeta& meta);
  // Writes changes, as many as the rate allows; call it a few times a second.
  void flush(TimePoint now);

 private:
  static constexpr std::size_t most_orders = 2000;
  void settled(const std::string& name, bool there);
  void create(const std::string& name, const OwnedOrder& order, TimePoint now);
  std::string path(const std::string& name, std::string_view part = {}) const;

  const Surroundings around_;
  const Place place_;
  ObjectWrites writes_;
  Turns<std::pair<std::string, std::shared_ptr<const OwnedOrder>>> turns_{most_orders};
  bool asked_ = false;
  std::map<std::string, std::shared_ptr<const OwnedOrder>> wanted_;  // by name
  std::map<std::string, bool> known_;                                // by name: marked as having found no room
  TimePoint refused_until_{};
};

// The pod of an order, as JSON. `name`: its own.
std::string order_body(const OwnedOrder& order, const NodeOrders::Place& place, const std::string& name);

}  // namespace lips::kubernetes
