// The exchange of one job's pods across zones up to now, where they run and where they were planned. Peers read from
// each other, reduces from all maps. Knows no bytes that crossed a wire: it takes those that somebody declares, or so
// many for each CPU-second.
#pragma once

#include <cstdint>
#include <optional>

#include "model/costs.h"
#include "model/peers.h"
#include "model/watched_dollars.h"
#include "model/work.h"

namespace lips {

class JobExchange {
 public:
  struct Dollars {
    WatchedDollars actual, planned;
  };
  struct Pod {
    TaskKind kind = TaskKind::map;
    double weight = 1;       // as a peer
    ZoneId actual, planned;  // none planned: it is not compared
    CpuSeconds work;         // that it has done
    double done = 0;         // the part of what is expected of it
    bool ended = false;
  };

  // At each look: begin(), then every part of the job and every pod of it that is there.
  void begin() { sent_.running = {}, read_.running = {}; }
  // `a_cpu_second`: what its peers exchange, of which nobody says how much.
  void look(const Job& part, std::optional<Mebibytes> a_cpu_second);
  void arrived(TaskKind kind, double weight);  // a pod that was not there at earlier looks
  void add(const Pod& pod);

  // Since the last call.
  Dollars change(const CostModel& costs);
  // The output of maps that have ended, by zone, as the plan has it.
  PeersByZone planned_maps() const;

 private:
  struct Parts {                            // of what all exchange
    PeersByZone actual, compared, planned;  // compared: the part of `actual` that `planned` has elsewhere
    void add(const Pod& pod, double part);
    Parts& operator+=(const Parts& other);
  };
  struct Side {
    Parts ended, running;
    void add(const Pod& pod, double part) { (pod.ended ? ended : running).add(pod, part); }
    Parts all() const;
  };
  Mebibytes each() const;  // for a unit of a part that is read

  bool peers_ = false, begun_ = false;
  std::optional<Mebibytes> a_cpu_second_;
  Mebibytes size_;
  EnumArray<TaskKind, double> expected_{}, seen_{}, weight_{};  // pods; those seen, and their weights
  Side sent_, read_;
  Usd told_actual_, told_planned_;
};

}  // namespace lips
