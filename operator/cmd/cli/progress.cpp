#include "cmd/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "telemetry/page/numbers.h"

namespace lips::cmd {

ProgressLine::ProgressLine(bool shown, std::vector<std::string> runs) : shown_(shown), began_(watch_.seconds()) {
  for (std::string& name : runs) runs_.push_back({std::move(name), 0, {}, false, false});
}

void ProgressLine::report(std::size_t run, const simulation::Progress& progress) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  Run& one = runs_[run];
  one.begun = true;
  one.last = progress;
  one.share = progress.jobs > 0 ? static_cast<double>(progress.jobs_done) / static_cast<double>(progress.jobs) : 0;
  if (const double now = watch_.seconds(); now - drawn_ >= 0.2) drawn_ = now, draw();
}

void ProgressLine::finish(std::size_t run) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  runs_[run].finished = true, runs_[run].share = 1;
  draw();
}

void ProgressLine::clear() {
  if (!shown_ || drawn_ < 0) return;
  std::fputs("\r\x1b[K", stderr);
  drawn_ = -1;
}

void ProgressLine::draw() {
  double share = 0;
  std::string line;
  std::size_t finished = 0;
  for (const Run& run : runs_) {
    share += run.share / static_cast<double>(runs_.size());
    finished += run.finished;
    if (run.begun && !run.finished)
      line += fmt::format("{}{} at {}, {}/{} jobs", line.empty() ? "" : " | ", run.name,
                          page::duration(to_seconds(run.last.now)), run.last.jobs_done, run.last.jobs);
  }
  const double spent = watch_.seconds() - began_;
  const std::string left = share > 0.005 ? page::duration(spent * (1 - share) / share) + " left" : "estimating";
  line = fmt::format("{}/{} runs, {:.0f} %, {}{}{}", finished, runs_.size(), 100 * share, left,
                     line.empty() ? "" : " | ", line);
  line.resize(std::min(line.size(), terminal_width() - 1));
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) return size.ws_col;
  return 100;
}

}  // namespace lips::cmd
