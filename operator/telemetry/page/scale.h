// Axes with round ticks. Pure; knows nothing of HTML.
#pragma once

#include <string>
#include <vector>

namespace lips::page {

struct Tick {
  double position = 0;  // 0..1 along the axis
  std::string label;
};

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks;

  double at(double value) const;  // 0..1 along the axis, not clamped
};

// From zero, or from a round number below `low` where the values are close together, to a round number above `high`.
Axis dollar_axis(double low, double high);
Axis duration_axis(double low, double high, double most_ticks = 6);

// From zero to `end` exactly, ticks at round times within.
Axis clock_axis(double end, double most_ticks = 6);

// Logarithmic where the values span a decade; ticks at the values themselves, thinned where they would collide.
Axis epoch_axis(std::vector<double> values);

Axis share_axis();

// Plain numbers between round ones, from zero if that is near; below zero if `low` is.
Axis number_axis(double low, double high);
// Powers of ten; both positive.
Axis power_axis(double low, double high);

}  // namespace lips::page
