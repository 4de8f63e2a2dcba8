// The invoice of what an operator ran, or watched, beside what the same work would have cost under other regimes, each
// simulated from the journal. Knows no journal and no simulator.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace lips {

// All recorded work under one regime, until its last job ends.
struct TwinRegime {
  std::string policy;
  Usd invoice;
  Duration mean_wait{};   // from a job's arrival to the start of its tasks, weighted by work
  bool finished = false;  // all jobs; else its invoice is not that of the same work
  friend bool operator==(const TwinRegime&, const TwinRegime&) = default;
};

// The stack that a policy stands for.
inline std::string regime_words(const std::string& policy) {
  if (policy == "spread") return "kube-scheduler";
  if (policy == "lips") return "LiPS";
  return policy == "most-allocated" ? "kube-scheduler, most-allocated" : policy;
}

struct TwinReport {
  Duration span{};     // from the first record to the last
  Duration unknown{};  // the part of it of which the journal knows nothing
  std::uint64_t records = 0, jobs = 0;
  bool watched = false;           // other schedulers ran it, and LiPS is among the others
  std::optional<Usd> counted;     // invoice, from the first record to the last; of what was watched, the nodes alone
  std::optional<Usd> until_last;  // of the twin of what ran, in the same time
  TwinRegime ran;                 // the regime of the journal
  std::vector<TwinRegime> others;
  std::vector<std::string> not_known;  // and not made up

  // The twin's own error: the invoice of the twin of what ran over the counted one, minus 1.
  std::optional<double> error() const {
    if (!counted || !until_last || counted->value() <= 0) return std::nullopt;
    return *until_last / *counted - 1;
  }
  // The part of the other's invoice that was saved, or of what was watched the part of the invoice that the other would
  // have saved; below 0 for a loss.
  std::optional<double> saved(const TwinRegime& other) const {
    const TwinRegime &dear = watched ? ran : other, &cheap = watched ? other : ran;
    if (!ran.finished || !other.finished || dear.invoice.value() <= 0) return std::nullopt;
    return 1 - cheap.invoice / dear.invoice;
  }
  // Says whether the two differ by more than the twin's own error, so that one of them may be called cheaper.
  bool can_tell(const TwinRegime& other) const {
    const std::optional<double> share = saved(other), own = error();
    return share && own && std::abs(*share) > std::abs(*own);
  }
  friend bool operator==(const TwinReport&, const TwinReport&) = default;
};

inline std::string ran_words(const TwinReport& report) {
  return (report.watched ? regime_words(report.ran.policy) : report.ran.policy) + ", as it ran";
}

struct TwinState {
  std::optional<TwinReport> report;  // the latest
  Duration age{};                    // since it was made
  std::string missing;               // why there is none, or no later one; empty: nothing is wrong
  friend bool operator==(const TwinState&, const TwinState&) = default;
};

}  // namespace lips
