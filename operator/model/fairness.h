// Measures of how fairly pools share a cluster. Knows no policy.
#pragma once

#include <span>

namespace lips {

// Less than this part of what a pool is entitled to is below its share; the rest is the grain of whole tasks.
inline constexpr double nearly_all = 0.95;
constexpr bool is_below_share(double used, double entitled) { return used < nearly_all * entitled; }

// (sum x)^2 / (n sum x^2) (Jain, Chiu, Hawe 1984); 1 when there is nothing.
double jain_index(std::span<const double> values);

}  // namespace lips
