// When it pays to bring data to a cheaper node (LiPS section I, Fig. 1): move when c a > c b + d. Knows no snapshot.
#pragma once

#include <optional>

#include "base/units.h"

namespace lips {

struct MoveQuestion {
  UsdPerCpuSecond here, there;      // a, b: of the node beside the data and of the other one
  CpuSecondsPerMebibyte intensity;  // c
  Mebibytes size;
  UsdPerMebibyte transfer;  // d
  CpuSeconds further_work;  // beside what goes by size: of a job without input, all of it
};

struct MoveAnswer {
  bool move = false;  // dearer or equal: stay
  Usd stay;           // work here
  Usd work_there, transfer;
  // The CPU-seconds per MiB above which moving pays; none when no intensity makes it pay. Without transfer costs: 0.
  std::optional<CpuSecondsPerMebibyte> break_even;

  Usd go() const { return work_there + transfer; }
  Usd saved() const { return stay - go(); }  // negative: moving costs so much more
};

MoveAnswer whether_to_move(const MoveQuestion& question);

}  // namespace lips
