#include "kubernetes/adapter/held_up.h"

#include <utility>

namespace lips::kubernetes {

void HeldUp::review(std::string why, TimePoint now) {
  if (why.empty()) {
    since_.reset();
  } else {
    if (!since_) since_ = now;
    if (now - *since_ < after_) return;
  }
  if (why == said_) return;
  said_ = std::move(why);
  telemetry_.on_held_up(said_);
  if (said_.empty())
    log_.info("all is known again that plans need");
  else
    log_.warning("nothing can be planned", {{"why", said_}});
}

}  // namespace lips::kubernetes
