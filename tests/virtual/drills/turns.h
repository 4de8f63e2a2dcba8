// Two threads of which one runs at a time: each passes the turn to the other, so that their run is the same every time.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>

namespace lips::virtual_cluster::drills {

class Turns {
 public:
  // Gives the turn to the other, if it is still there, and waits until it comes back.
  void pass(std::size_t me) {
    std::unique_lock lock(mutex_);
    if (!there_[1 - me]) return;
    turn_ = 1 - me;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == me; });
  }
  void await(std::size_t me) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == me; });
  }
  void leave(std::size_t me) {
    const std::lock_guard lock(mutex_);
    there_[me] = false, turn_ = 1 - me;
    changed_.notify_all();
  }
  bool is_there(std::size_t who) {
    const std::lock_guard lock(mutex_);
    return there_[who];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<bool, 2> there_{true, true};
  std::size_t turn_ = 0;
};

}  // namespace lips::virtual_cluster::drills
