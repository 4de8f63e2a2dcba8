// How pools share a capacity fairly. Knows no policy.
#pragma once

#include <span>
#include <vector>

#include "model/work.h"

namespace lips {

// Weighted max-min fair shares of the capacity, none above its demand or maximum, none below the lesser of minimum and
// demand.
std::vector<double> fair_shares(std::span<const Pool> pools, std::span<const double> demand, double capacity);
// (sum x)^2 / (n sum x^2) (Jain, Chiu, Hawe 1984); 1 when there is nothing.
double jain_index(std::span<const double> values);

}  // namespace lips
