// Means over time in a bounded number of bins whose width doubles as time goes on.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace lips::simulation {

class SeriesRecorder {
 public:
  static constexpr std::size_t most_bins = 200;

  explicit SeriesRecorder(std::size_t channels) : sums_(channels), level_(channels, 0), since_(channels) {}

  // The channel has this level from `now` (since the start) on.
  void set(std::size_t channel, double level, Duration now) {
    flush(channel, now);
    level_[channel] = level;
  }
  Series finish(Duration end, std::vector<std::string> channels) {
    Series series;
    for (std::size_t i = 0; i < sums_.size(); ++i) flush(i, end);
    const std::size_t bins = end.count() > 0 ? static_cast<std::size_t>((end - Duration(1)) / bin_ + 1) : 0;
    for (std::vector<double>& sums : sums_) {
      sums.resize(bins, 0);
      for (std::size_t bin = 0; bin < bins; ++bin) {
        const Duration begin = bin_ * static_cast<std::int64_t>(bin);
        sums[bin] /= static_cast<double>((std::min(end, begin + bin_) - begin).count());
      }
    }
    series.bin = bin_;
    series.channels = std::move(channels);
    series.value = std::move(sums_);
    return series;
  }

 private:
  void flush(std::size_t channel, Duration now) {
    while (now > bin_ * static_cast<std::int64_t>(most_bins)) halve();
    Duration from = since_[channel];
    since_[channel] = now;
    if (level_[channel] == 0) return;
    std::vector<double>& sums = sums_[channel];
    while (from < now) {
      const auto bin = static_cast<std::size_t>(from / bin_);
      const Duration to = std::min(now, bin_ * static_cast<std::int64_t>(bin + 1));
      if (sums.size() <= bin) sums.resize(bin + 1, 0);
      sums[bin] += level_[channel] * static_cast<double>((to - from).count());
      from = to;
    }
  }
  void halve() {
    bin_ *= 2;
    for (std::vector<double>& sums : sums_) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double value = sums[i];
        if (i % 2 == 0)
          sums[i / 2] = value;
        else
          sums[i / 2] += value;
      }
      sums.resize((sums.size() + 1) / 2);
    }
  }

  Duration bin_ = std::chrono::seconds(1);
  std::vector<std::vector<double>> sums_;
  std::vector<double> level_;
  std::vector<Duration> since_;
};

}  // namespace lips::simulation
