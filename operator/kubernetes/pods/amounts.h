// Arithmetic on amounts of named resources, and from them to the model's resources.
#pragma once

#include <map>
#include <string>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Amounts may become negative: what was taken twice is given back twice.
void add(ResourceAmounts& sum, const ResourceAmounts& more);
void subtract(ResourceAmounts& sum, const ResourceAmounts& less);

// Resources beside CPU and memory, by the ids that the model has for them. Names are only added.
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

// A pod's request: one slot. What has no id is left out.
Resources request_of(const ResourceAmounts& requests, const ResourceNames& names);
// What a node has or what pods take of it; "pods" are its slots.
Resources resources_of(const ResourceAmounts& amounts, const ResourceNames& names);

}  // namespace lips::kubernetes
