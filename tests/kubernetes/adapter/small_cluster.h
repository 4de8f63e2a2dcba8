// The model of a cluster with one node of four cores in zone a, and data sets in a bucket there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/adapter/model_index.h"

namespace lips::kubernetes {

class SmallCluster : public testing::Test {
 protected:
  // Names of data sets, and how many blocks of 64 MiB each has.
  using DataSets = std::vector<std::pair<std::string, std::uint32_t>>;

  void list(const DataSets& data_sets) {
    Node node;
    node.meta.name = "n";
    node.ready = true;
    node.labels = {{"topology.kubernetes.io/zone", "a"}};
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    nodes_.update(node);
    DataView data;
    data.stores = {{"store", StoreKind::zonal_bucket, "a", "", {}, {}}};
    for (const auto& [name, blocks] : data_sets) {
      DataSetEntry set;
      set.name = name;
      set.layout.native = blocks;
      set.layout.block_size = 64 << 20;
      set.layout.size = blocks * set.layout.block_size;
      set.stores["store"].blocks = BlockRanges::all(blocks);
      data.data_sets.push_back(std::move(set));
    }
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion&) { return NodePrice{UsdPerHour(0.2)}; };
    settings.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(0); };
    index_ = std::make_unique<ModelIndex>(settings);
    start_ = index_->list(nodes_, classes_, data).start;
  }

  NodeCache nodes_;
  PodClasses classes_;
  std::unique_ptr<ModelIndex> index_;
  std::shared_ptr<const ClusterSnapshot> start_;
};

}  // namespace lips::kubernetes
