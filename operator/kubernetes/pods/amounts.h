// Arithmetic on amounts of named resources, and their conversion to the model's resources.
#pragma once

#include <map>
#include <string>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Amounts may become negative: a pod that was subtracted twice will be added twice.
void add(ResourceAmounts& sum, const ResourceAmounts& more);
void subtract(ResourceAmounts& sum, const ResourceAmounts& less);

// The model's ids for resources other than CPU and memory. Names are only added.
class ResourceNames {
 public:
  // Names of resources that have a field of their own in Resources get no id.
  void add(const ResourceAmounts& requests);
  ResourceId find(const std::string& name) const;
  const IdVector<ResourceId, std::string>& names() const { return names_; }

 private:
  IdVector<ResourceId, std::string> names_;
  std::map<std::string, ResourceId> ids_;
};

// A pod's request: one slot. Resources without an id are left out.
Resources request_of(const ResourceAmounts& requests, const ResourceNames& names);
// The capacity of a node, or the use of it by pods; "pods" are its slots.
Resources resources_of(const ResourceAmounts& amounts, const ResourceNames& names);

}  // namespace lips::kubernetes
