// Reads prices from the metrics page of Karpenter or OpenCost, at the start and then every ten minutes.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "config/price_sheet.h"

namespace lips::cmd {

class PriceFeed {
 public:
  struct Source {
    std::string url;     // empty: none
    std::string region;  // of zones whose names do not say it
    friend bool operator==(const Source&, const Source&) = default;
  };
  using Current = std::function<Source()>;  // may change
  // Called on the feed's own thread. With a page that cannot be read, or has no price, the error.
  using Tell = std::function<void(Result<std::vector<InstanceOffer>>)>;
  PriceFeed(Current current, Tell tell);

 private:
  std::jthread thread_;
};

}  // namespace lips::cmd
