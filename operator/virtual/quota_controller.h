// The quota controller of kube-controller-manager: a second after pods or quotas change, quotas say what is taken.
#pragma once

#include <set>
#include <string>

#include "kubernetes/api/event_loop.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

class QuotaController {
 public:
  // The store, which serves pods and quotas, and the loop outlive it.
  QuotaController(ObjectStore& objects, kubernetes::EventLoop& loop);
  QuotaController(const QuotaController&) = delete;
  QuotaController& operator=(const QuotaController&) = delete;

  // The store is another one: counts anew in each namespace, as after a restart.
  void relist();

 private:
  void look_at(const Json& object);

  ObjectStore& objects_;
  kubernetes::EventLoop& loop_;
  std::set<std::string> due_;  // namespaces
};

}  // namespace lips::virtual_cluster
