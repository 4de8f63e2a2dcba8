// Learns how many bytes the runs of an application read and exchange, and how many workers they have. Knows no
// framework and no annotations.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/units.h"

namespace lips::kubernetes {

struct Traffic {
  Mebibytes shuffle, input;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
Traffic larger_of(const Traffic& a, const Traffic& b);  // of each kind
inline constexpr Mebibytes most_traffic(1e9);  // 0.93 PiB: more is an error, and would spoil the numbers of the plan

// Says whether what was read then of a run that has succeeded is nearly all of it.
bool saw_the_end(TimePoint started, TimePoint read, TimePoint ended);
// From one reading of a run to the next.
Duration pause_between_readings(Duration age);
// The pause for a driver of that age that did not answer: it may still be starting, or never answer.
Duration pause_after_failure(Duration age);

class LearnedTraffic {
 public:
  // `of`: "namespace/application"; `run`: one of its runs. A run as far as it was seen, which may not have ended or
  // whose end was not seen: only raises what is known.
  void seen(const std::string& of, const std::string& run, const Traffic& so_far);
  // A whole run. Recent runs count most.
  void ended(const std::string& of, const std::string& run, const Traffic& whole);
  // A run has had so many workers at once.
  void had(const std::string& of, std::uint32_t workers);

  struct Known {
    Traffic bytes;
    std::uint32_t runs = 0;     // whole ones; 0: the bytes are at least what a run takes
    std::uint32_t workers = 0;  // at once, in the larger of the last two runs; 0: not known
  };
  std::optional<Known> of(const std::string& of) const;
  std::map<std::string, Known> all() const;

  // Grows with every change.
  std::uint64_t version() const { return version_; }
  // To keep it, and to take over what was kept. Ignores what it does not understand.
  std::string text() const;
  void read(const std::string& text);

 private:
  struct Entry {
    std::uint32_t runs = 0;
    Traffic mean;
    std::string open;                        // the run that is not whole and has taken most
    Traffic open_bytes;                      // what it has taken
    std::array<std::uint32_t, 2> workers{};  // of the last two runs
    std::uint64_t used = 0;                  // when it last learned something
    Known known() const;
    void fold();
  };
  Entry& entry_of(const std::string& of);
  void make_room(const std::string& of);

  static constexpr std::size_t most_kept = 1000, most_of_a_name_space = 250;
  static constexpr std::uint32_t remembered = 4;  // runs; after that a new one counts a quarter
  std::map<std::string, Entry> entries_;
  std::uint64_t turn_ = 0, version_ = 0;
};

}  // namespace lips::kubernetes
