// Custom resources: decoding, review, layout, and the patches that are written of them.
#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"
#include "kubernetes/data/status_json.h"
#include "kubernetes/data/validation.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

namespace {

void take(const DataSetResource& set) {
  const Result<DataLayout> layout = layout_of(set);
  (void)review(set, layout, StoreMap{}, TenantRules{});
  (void)data_set_patch(set, set.status, true);
  if (!layout || layout->count() == 0 || layout->count() > 5000) return;
  for (const std::uint32_t block : {std::uint32_t{0}, layout->count() - 1}) {
    FUZZ_CHECK(!copied_part(set, *layout, block).path.empty());
    FUZZ_CHECK(!layout->stripe_of(block).empty());
  }
  for (const HeldBlocks& held : set.status.replicas)
    for (const std::uint32_t block : held.blocks.blocks())
      if (block < layout->count()) (void)held_part(set, *layout, held, block);
}

}  // namespace

FUZZ_TARGET(resources, json) {
  const auto set = decode_data_set(input);
  if (set) take(*set);
  const auto store = decode_data_store(input);
  if (store) {
    DataStoreResource other = *store;
    other.meta.object.name = "other";
    for (const bool gone : {false, true}) (void)review(*store, StoreMap{{"other", other}}, {"uid", gone});
    (void)store_patch(*store, store->status);
  }
  const auto pool = decode_pool(input);
  if (pool) {
    const PoolMap pools{{pool->meta.object.name, *pool}};
    (void)review(*pool, pools);
    FUZZ_CHECK(flat_weight(*pool, pools) >= 0);
  }
  const auto move = decode_data_move(input);
  if (move) {
    (void)move_status_patch(*move, move->status, TimePoint{});
    (void)data_move_json("m", move->spec);
  }
  (void)decode_conditions(DataKind::data_set, input);
  return set || store || pool || move;
}

}  // namespace lips::kubernetes
