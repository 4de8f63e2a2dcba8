// The configuration and prices in force, which a reload can replace while the operator runs. Any thread may read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "config/node_prices.h"
#include "config/operator_config.h"

namespace lips {

class LiveConfig {
 public:
  LiveConfig(OperatorConfig config, NodePrices prices) { replace(std::move(config), std::move(prices)); }

  std::shared_ptr<const OperatorConfig> config() const {
    const std::lock_guard lock(mutex_);
    return config_;
  }
  std::shared_ptr<const NodePrices> prices() const {
    const std::lock_guard lock(mutex_);
    return prices_;
  }
  // Grows with every change.
  std::uint64_t generation() const { return generation_.load(); }

  void replace(OperatorConfig config, NodePrices prices) {
    const std::lock_guard lock(mutex_);
    config_ = std::make_shared<const OperatorConfig>(std::move(config));
    prices_ = std::make_shared<const NodePrices>(std::move(prices));
    ++generation_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const OperatorConfig> config_;
  std::shared_ptr<const NodePrices> prices_;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace lips
