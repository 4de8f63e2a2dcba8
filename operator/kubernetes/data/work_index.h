// The Jobs and pods of each move, from the catalog at one moment. Sends nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/move_machine.h"

namespace lips::kubernetes {

struct WorkOfMove {
  std::vector<const WorkJob*> jobs;
  std::vector<const WorkPod*> pods;
};

class WorkIndex {
 public:
  explicit WorkIndex(const DataCatalog& catalog);

  const WorkOfMove& of(const std::string& move_uid) const;
  // The state of the Job of that name and its pods; if it failed, `why` says why.
  WorkState state(const WorkOfMove& work, const std::string& job, std::string& why) const;
  // Fills in the progress of this move's Jobs and pods.
  void fill(const DataMoveResource& move, MoveView& view) const;

 private:
  std::map<std::string, WorkOfMove> by_move_;
};

// Paths of the Jobs and pods of those roles that are not being deleted yet.
std::vector<std::string> paths_of(const WorkOfMove& work, const std::vector<WorkRole>& roles);

}  // namespace lips::kubernetes
