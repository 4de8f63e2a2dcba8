// The notes that people write on a node: its price, and whether it goes when it is empty. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/units.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// A price that somebody wrote on the node, which overrides every sheet.
std::optional<UsdPerHour> stated_price(const Node& node);

// The annotation or label under lips.dev/ that cannot be meant so, in words; empty: there is none.
std::string wrong_note(const Node& node);

// Remembers the notes that have been said already.
class WrongNotes {
 public:
  // The line to be said now; empty: nothing.
  std::string fresh(const Node& node);
  void forget(const std::string& node) { said_.erase(node); }

 private:
  std::map<std::string, std::string> said_;  // by node
};

}  // namespace lips::kubernetes
