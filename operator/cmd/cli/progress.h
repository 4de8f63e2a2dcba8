// A progress line on a terminal: how far all runs are and how long they will take. Prints nothing elsewhere.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "cmd/cli/command.h"
#include "simulation/run.h"

namespace lips::cmd {

// report() may be called from several threads.
class ProgressLine {
 public:
  ProgressLine(bool shown, std::vector<std::string> runs);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void report(std::size_t run, const simulation::Progress& progress);
  void finish(std::size_t run);
  void clear();

 private:
  void draw();

  struct Run {
    std::string name;
    double share = 0;  // of its jobs
    simulation::Progress last;
    bool begun = false, finished = false;
  };
  bool shown_;
  std::mutex mutex_;
  std::vector<Run> runs_;
  WallStopwatch watch_;
  double began_, drawn_ = -1;
};

bool stderr_is_terminal();
std::size_t terminal_width();  // of stdout; 100 if that is not a terminal

}  // namespace lips::cmd
