#include "policies/papers/lips_paper/lips_paper_rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lips::paper {

namespace {

void merge_fragments(std::vector<std::uint32_t>& counts, std::uint32_t least) {
  const auto runs = counts.end() - 1;
  const auto smallest = [&](auto skip) {
    auto best = runs;
    for (auto it = counts.begin(); it != runs; ++it)
      if (it != skip && *it > 0 && (best == runs || *it < *best)) best = it;
    return best;
  };
  for (;;) {
    const auto fragment = smallest(counts.end());
    if (fragment == runs || *fragment >= least) return;
    auto donor = smallest(fragment);
    if (donor == runs && *runs == 0) return;  // the only one: there are no more tasks
    const std::uint32_t given = std::min(*donor, least - *fragment);
    *fragment += given;
    *donor -= given;
  }
}

}  // namespace

std::vector<std::uint32_t> round_shares(const std::vector<double>& shares, std::uint32_t tasks, std::uint32_t least) {
  std::vector<std::uint32_t> counts(shares.size());
  std::vector<double> remainder(shares.size());
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = std::max(0.0, shares[i]) * tasks;
    counts[i] = std::min(static_cast<std::uint32_t>(std::floor(exact + 1e-6)), tasks - given);
    remainder[i] = exact - counts[i];
    given += counts[i];
  }
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t i = 0; given < tasks && !order.empty(); i = (i + 1) % order.size(), ++given) ++counts[order[i]];
  if (least > 1 && shares.size() > 1) merge_fragments(counts, least);
  return counts;
}

}  // namespace lips::paper
