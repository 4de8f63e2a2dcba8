#include "kubernetes/data/resources.h"

#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

const char* kind_name(DataKind kind) {
  constexpr const char* names[] = {"DataSet", "DataStore", "Pool", "DataMove"};
  return names[static_cast<std::size_t>(kind)];
}

const char* plural_name(DataKind kind) {
  constexpr const char* names[] = {"datasets", "datastores", "pools", "datamoves"};
  return names[static_cast<std::size_t>(kind)];
}

std::string all_resources_path(DataKind kind) {
  return std::string("/apis/") + data_api_version + '/' + plural_name(kind);
}

std::string resource_path(DataKind kind, const ObjectMeta& meta) {
  std::string path = std::string("/apis/") + data_api_version;
  if (!meta.name_space.empty()) path += "/namespaces/" + percent_encoded(meta.name_space);
  path += std::string("/") + plural_name(kind);
  if (!meta.name.empty()) path += '/' + percent_encoded(meta.name);
  return path;
}

const ObjectCondition* find_condition(const std::vector<ObjectCondition>& conditions, std::string_view type) {
  for (const ObjectCondition& condition : conditions)
    if (condition.type == type) return &condition;
  return nullptr;
}

std::string no_such_pool(const std::string& name) {
  return "lips.dev/pool: there is no Pool '" + name + "'; administrators of the cluster create Pools";
}

const char* phase_name(MovePhase phase) {
  constexpr const char* names[] = {"", "Pending", "Copying", "Verifying", "Committed", "Failed"};
  return names[static_cast<std::size_t>(phase)];
}

const char* source_name(SourceState state) {
  constexpr const char* names[] = {"Kept", "Leaving", "Removed", "Deleted"};
  return names[static_cast<std::size_t>(state)];
}

}  // namespace lips::kubernetes
