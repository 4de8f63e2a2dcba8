// Custom resources: decoding, review, layout, and the patches that are written of them.
#include "kubernetes/data/data_codec.h"
#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/status_json.h"
#include "kubernetes/data/validation.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

namespace {

void take(const DataSetResource& set) {
  const Result<DataLayout> layout = layout_of(set);
  (void)review(set, layout, {});
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
  if (const auto set = decode_data_set(input)) take(*set);
  if (const auto store = decode_data_store(input)) {
    (void)review(*store, StoreMap{{"other", *store}});
    (void)store_patch(*store, 1, "http://x:1");
  }
  if (const auto pool = decode_pool(input)) {
    const PoolMap pools{{pool->meta.object.name, *pool}};
    (void)review(*pool, pools);
    FUZZ_CHECK(flat_weight(*pool, pools) >= 0);
  }
  if (const auto move = decode_data_move(input)) {
    (void)move_status_patch(*move, move->status, TimePoint{});
    (void)data_move_json("m", move->spec);
  }
  (void)decode_conditions(DataKind::data_set, input);
}

}  // namespace lips::kubernetes
