// A recorded day under several regimes, and its forms as text and JSON. Reads no options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/run_result.h"
#include "twin/recorded_scenario.h"

namespace lips::cmd {

struct Regime {
  std::string name, policy, with;  // with: a setting that it has, KEY=VALUE; empty: those of the last record
  bool ran = false;                // the regime of the journal
  simulation::RunResult run;
};

struct Floor {
  Usd dollars;
  Duration horizon{};
};

struct TwinResult {
  twin::RecordedDay day;
  std::optional<simulation::RunResult> until_last;  // the twin of what ran, until the last record
  std::vector<Regime> regimes;                      // what ran comes first
  std::optional<Floor> floor;
  std::string no_floor;              // why there is none
  std::vector<std::string> not_run;  // because of an interrupt

  // The twin of what ran, from the first record to the last: its invoice over the counted one, minus 1.
  std::optional<double> error() const;
  double against_what_ran(const Regime& regime) const;  // its invoice over that of the twin of what ran, minus 1
};

// "journal: 40 records over 2 h 05 min, policy lips; 12 jobs"
std::string about_day(const twin::RecordedDay& day);
std::string not_known_text(const twin::RecordedDay& day);

std::string twin_text(const TwinResult& result);
std::string twin_json(const TwinResult& result);

}  // namespace lips::cmd
