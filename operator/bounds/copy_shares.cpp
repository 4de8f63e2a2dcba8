#include "bounds/copy_shares.h"

namespace lips {

CopyShares::CopyShares(const RelaxedRun& run) : run_(run) {
  std::vector<double> tasks(run.shared_inputs(), 0);
  for (const SharedReader& reader : run.shared_readers()) tasks[reader.input] += reader.tasks;
  for (const SharedReader& reader : run.shared_readers()) shares_.emplace_back(run.zones(), 1 / tasks[reader.input]);
}

void CopyShares::approach(const ReadingThere& saves, double part) {
  const std::vector<SharedReader>& readers = run_.shared_readers();
  std::vector<double> all(run_.shared_inputs());
  for (std::size_t zone = 0; zone < run_.zones(); ++zone) {
    all.assign(all.size(), 0);
    for (std::size_t i = 0; i < readers.size(); ++i) all[readers[i].input] += saves[i][zone];
    for (std::size_t i = 0; i < readers.size(); ++i) {
      if (all[readers[i].input] <= 0) continue;
      const double share = saves[i][zone] / all[readers[i].input] / readers[i].tasks;
      shares_[i][zone] += part * (share - shares_[i][zone]);
    }
  }
}

}  // namespace lips
