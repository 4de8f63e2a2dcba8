// The metadata of an object that a custom resource owns, and with which it is deleted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

// An object of a namespace cannot own one of another, so a DataSet owns nothing here.
inline nlohmann::json owned_metadata(const std::string& name, DataKind owner_kind, const ObjectMeta& owner,
                                     const nlohmann::json& labels) {
  nlohmann::json meta = {{"name", name}, {"labels", labels}};
  if (owner.name_space.empty())
    meta["ownerReferences"] = {{{"apiVersion", data_api_version},
                                {"kind", kind_name(owner_kind)},
                                {"name", owner.name},
                                {"uid", owner.uid},
                                {"controller", true},
                                {"blockOwnerDeletion", false}}};
  return meta;
}

}  // namespace lips::kubernetes
