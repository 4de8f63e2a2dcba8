// The journal of an operator as a scenario: what came when, on which nodes and offers, and how much work it was. Says
// what the journal does not know, and fills no gap. Knows no command.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/invoice_so_far.h"
#include "records/epoch_record.h"
#include "simulation/scenario.h"
#include "twin/journal_facts.h"
#include "twin/recorded_cluster.h"
#include "twin/recorded_jobs.h"
#include "twin/recorded_services.h"

namespace lips::twin {

struct RecordReading {
  std::function<bool()> stop = {};                                 // true: end with `cancelled`; empty: never
  std::function<void(std::size_t done, std::size_t all)> at = {};  // records; may be empty
  std::optional<Duration> window = {};                    // before the newest file of the journal; none: all of it
  std::size_t most_tasks = static_cast<std::size_t>(-1);  // more of them: an error with the code `gone`
};

struct RecordedDay {
  simulation::Scenario scenario;  // its policy is the one of the last record
  std::size_t records = 0;
  Duration span{};                      // from the first record to the last
  Duration unknown{};                   // the part of it that lies in gaps
  bool watched = false;                 // other schedulers decided
  std::optional<InvoiceSoFar> counted;  // in that time, by the operator
  // Facts that the journal does not have, also among the scenario's assumptions.
  std::vector<simulation::Assumption> not_known;
};

// The records of a journal, in the order in which they were made.
class RecordsOfADay {
 public:
  void add(EpochRecord record);
  std::size_t tasks() const { return jobs_.tasks(); }
  // At least one record. `path` and `cut_off`, what is missing at its end, are for texts. invalid_input: it has no
  // jobs.
  Result<RecordedDay> day(const std::string& path, const std::string& cut_off) const;

 private:
  JournalFacts facts_;
  RecordedJobs jobs_;
  RecordedServices services_;
  RecordedCluster cluster_;
  EpochRecord last_;
};

// `path`: the folder of a journal, one of its files, or what an operator serves at /state.
Result<RecordedDay> recorded_day(const std::string& path, const RecordReading& reading = {});

// The operator counts no storage but that of copies, which the simulator does not tell apart: without it, the counted
// invoice and that of a twin have the same parts.
template <class AnyInvoice>
Usd without_storage(const AnyInvoice& invoice) {
  return invoice.total() - invoice.storage;
}
// For other schedulers it counts the nodes alone: nobody sees what their pods read.
template <class AnyInvoice>
Usd as_counted(const RecordedDay& day, const AnyInvoice& invoice) {
  return day.watched ? invoice.nodes : without_storage(invoice);
}

}  // namespace lips::twin
