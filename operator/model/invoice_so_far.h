// The invoice as a running operator has counted it since it began.
#pragma once

#include "base/fields.h"
#include "base/units.h"

namespace lips {

struct InvoiceSoFar {
  Usd nodes;  // while they exist, used or not
  Usd transfer, shuffle, moves, storage;
  static constexpr auto fields = field_names("nodes", "transfer", "shuffle", "moves", "storage");
  Usd total() const { return nodes + transfer + shuffle + moves + storage; }
  friend bool operator==(const InvoiceSoFar&, const InvoiceSoFar&) = default;
};

}  // namespace lips
