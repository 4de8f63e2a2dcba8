// Says whether moving data to a cheaper node pays off (LiPS section I, Fig. 1): move when c a > c b + d. Knows no
// snapshot.
#pragma once

#include <optional>

#include "base/units.h"

namespace lips {

struct MoveQuestion {
  UsdPerCpuSecond here, there;      // a, b: of the node beside the data and of the other one
  CpuSecondsPerMebibyte intensity;  // c
  Mebibytes size;
  UsdPerMebibyte transfer;  // d
  CpuSeconds further_work;  // besides work proportional to size: for a job without input, all of it
};

struct MoveAnswer {
  bool move = false;  // costs more or the same: stay
  Usd stay;           // work here
  Usd work_there, transfer;
  // The CPU-seconds per MiB above which moving pays; none when no intensity makes it pay. Without transfer costs: 0.
  std::optional<CpuSecondsPerMebibyte> break_even;

  Usd go() const { return work_there + transfer; }
  Usd saved() const { return stay - go(); }  // negative: moving costs so much more
};

MoveAnswer whether_to_move(const MoveQuestion& question);

}  // namespace lips
