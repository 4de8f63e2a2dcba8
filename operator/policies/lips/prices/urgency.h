// The dollars of nodes, to jobs whose wait is dearer or cheaper than that of others.
//
// A program has one price of a wait. A job whose wait counts r times weighs dollars against it as one that waits at
// that price and pays 1 / r of them. So a class charges its work 1 / r - 1 of its price: less than nothing where the
// job is urgent, so that it takes a dearer node rather than wait. Other terms divide their own dollars by r.
#pragma once

#include "policies/lips/prices/price_term.h"

namespace lips {

inline constexpr PriceTerm urgency_term{"urgency", PriceKind::preference,
                                        [](const NodeClasses&, const TaskShape& tasks) { return tasks.urgency != 1; },
                                        [](const NodeClasses&, const NodeClass& group, const Commodity& commodity) {
                                          return (1 / commodity.urgency - 1) * group.price.value() * group.to_pay;
                                        }};

}  // namespace lips
