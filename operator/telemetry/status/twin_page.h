// The invoice beside the twin on the operator's page: what the same work would have cost under other schedulers, or why
// nobody can say yet. Knows no server.
#pragma once

#include <string>

#include "model/twin_report.h"

namespace lips {

// For the headline, about the first of the other regimes; empty: there is nothing to say yet.
std::string twin_line(const TwinState& twin);
std::string render_twin(const TwinState& twin);

}  // namespace lips
