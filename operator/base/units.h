// Physical quantities and money as types. The name of a type states its unit; no conversion is silent.
#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>

namespace lips {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  constexpr Quantity& operator*=(double factor) { return value_ *= factor, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.value_ / b); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0;
};

using Usd = Quantity<struct UsdTag>;
using UsdPerHour = Quantity<struct UsdPerHourTag>;
using UsdPerCpuSecond = Quantity<struct UsdPerCpuSecondTag>;
using UsdPerMebibyte = Quantity<struct UsdPerMebibyteTag>;
using UsdPerMebibyteHour = Quantity<struct UsdPerMebibyteHourTag>;
using Mebibytes = Quantity<struct MebibytesTag>;
using MebibytesPerSecond = Quantity<struct MebibytesPerSecondTag>;
using Cores = Quantity<struct CoresTag>;
// Work: seconds on one core of speed 1 (for EC2's old types, ECU-seconds).
using CpuSeconds = Quantity<struct CpuSecondsTag>;
using CpuSecondsPerMebibyte = Quantity<struct CpuSecondsPerMebibyteTag>;

// Time on the cluster's clock, in whole microseconds so that simulated time is exact.
using Duration = std::chrono::duration<std::int64_t, std::micro>;
struct ClusterClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<ClusterClock>;
  static constexpr bool is_steady = true;
};
using TimePoint = ClusterClock::time_point;

// About 73,000 years. No span is longer, and the time of any run plus two such spans does not overflow.
inline constexpr Duration longest_span{std::int64_t{1} << 61};

// Rounds up, so a positive span never becomes zero. NaN and anything longer become longest_span.
inline Duration seconds(double count) {
  const double micros = std::ceil(count * 1e6 - 1e-6);
  constexpr auto most = static_cast<double>(longest_span.count());
  if (!(micros < most)) return longest_span;
  return micros > -most ? Duration(static_cast<std::int64_t>(micros)) : -longest_span;
}
constexpr double to_seconds(Duration span) { return static_cast<double>(span.count()) * 1e-6; }
constexpr double to_hours(Duration span) { return to_seconds(span) / 3600.0; }
constexpr double to_seconds(TimePoint time) { return to_seconds(time.time_since_epoch()); }

constexpr Usd operator*(UsdPerCpuSecond price, CpuSeconds work) { return Usd(price.value() * work.value()); }
constexpr Usd operator*(CpuSeconds work, UsdPerCpuSecond price) { return price * work; }
constexpr Usd operator*(UsdPerMebibyte price, Mebibytes size) { return Usd(price.value() * size.value()); }
constexpr Usd operator*(Mebibytes size, UsdPerMebibyte price) { return price * size; }
constexpr Usd operator*(UsdPerHour price, Duration span) { return Usd(price.value() * to_hours(span)); }
constexpr UsdPerMebibyte operator*(UsdPerMebibyteHour price, Duration span) {
  return UsdPerMebibyte(price.value() * to_hours(span));
}
constexpr CpuSeconds operator*(CpuSecondsPerMebibyte rate, Mebibytes size) {
  return CpuSeconds(rate.value() * size.value());
}
inline Duration operator/(Mebibytes size, MebibytesPerSecond bandwidth) {
  return seconds(size.value() / bandwidth.value());
}

inline constexpr double bytes_per_mebibyte = 1024.0 * 1024.0;
inline constexpr double mebibytes_per_gigabyte = 1e9 / bytes_per_mebibyte;
constexpr UsdPerMebibyte usd_per_gigabyte(double usd) { return UsdPerMebibyte(usd / mebibytes_per_gigabyte); }

}  // namespace lips
