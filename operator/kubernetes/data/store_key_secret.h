// Keeps the key of served stores in a Secret in the movers' namespace, which the chart creates empty and the first
// leader fills. Reads no other Secret.
#pragma once

#include <optional>
#include <string>

#include "kubernetes/data/object_writes.h"
#include "kubernetes/data/store_key.h"

namespace lips::kubernetes {

class StoreKeySecret {
 public:
  StoreKeySecret(ObjectWrites& writes, std::string name_space, std::string name)
      : writes_(writes), name_space_(std::move(name_space)), name_(std::move(name)) {}
  // Reads the Secret repeatedly until the key is known.
  void tick(TimePoint now);
  const StoreKey& key() const { return key_; }
  const std::string& problem() const { return problem_; }  // why the key is not known yet
  // Since when the server has answered with nothing but refusals; none: it has not.
  std::optional<TimePoint> refused_since() const { return refused_since_; }

 private:
  void take(const Answer& answer, bool wrote);

  ObjectWrites& writes_;
  const std::string name_space_, name_;
  StoreKey key_;
  std::optional<StoreKey> drawn_;  // to be written
  std::optional<TimePoint> refused_since_;
  TimePoint now_{};  // of the last tick()
  std::string problem_ = "the key of served stores has not been read yet";
  ApiRequest next_;  // the request that fills the Secret; without a path: read it first
};

}  // namespace lips::kubernetes
