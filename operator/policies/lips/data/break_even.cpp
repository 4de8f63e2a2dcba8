#include "policies/lips/data/break_even.h"

#include <algorithm>

namespace lips {

MoveAnswer whether_to_move(const MoveQuestion& question) {
  const CpuSeconds work = question.intensity * question.size + question.further_work;
  MoveAnswer answer;
  answer.stay = work * question.here;
  answer.work_there = work * question.there;
  answer.transfer = question.size * question.transfer;
  answer.move = answer.go() < answer.stay;
  const UsdPerCpuSecond cheaper = question.here - question.there;
  if (cheaper.value() <= 0 || question.size.value() <= 0) return answer;
  // c (a - b) size + further (a - b) = d size
  const double further = question.further_work / CpuSeconds(1) / question.size.value();
  answer.break_even = CpuSecondsPerMebibyte(std::max(0.0, question.transfer.value() / cheaper.value() - further));
  return answer;
}

}  // namespace lips
