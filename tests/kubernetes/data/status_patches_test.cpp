#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "kubernetes/data/status_json.h"

namespace lips::kubernetes {
namespace {

// The server ignores the uid in a patch of a custom resource's status. What holds is the version: another object of the
// same name has a later one (check merge_patch_of_the_status_of_a_custom_resource_made_anew_is_refused_by_its_version).
TEST(StatusPatches, HoldForTheVersionOfTheObjectThatWasRead) {
  ResourceMeta meta;
  meta.object = {"etl", "books", "u1", "42"};
  DataSetResource set;
  DataStoreResource store;
  PoolResource pool;
  DataMoveResource move;
  set.meta = store.meta = pool.meta = move.meta = meta;
  const std::map<std::string, std::string> patches{
      {"move_status_patch", move_status_patch(move, {}, {})},
      {"pool_patch", pool_patch(pool, {})},
      {"summary_patch", summary_patch(set, {})},
      {"replicas_patch", replicas_patch(set, {})},
      {"data_set_patch", data_set_patch(set, {}, true)},
      {"store_patch", store_patch(store, {})},
      {"unowned_patch", unowned_patch(store, {})},
      {"condition_patch", condition_patch(meta, {}, {})},
      {"finalizers_patch", finalizers_patch(meta, {"lips.dev/copies"})},
  };
  for (const auto& [name, text] : patches) {
    const auto patch = nlohmann::json::parse(text);
    EXPECT_EQ(patch["metadata"]["resourceVersion"], "42") << name;
    EXPECT_EQ(patch["metadata"]["uid"], "u1") << name;
  }
}

}  // namespace
}  // namespace lips::kubernetes
