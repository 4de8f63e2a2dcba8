// What every command shares: how it ends, what it says, its stopwatch, Ctrl-C. Knows no command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policies/policy.h"

namespace lips::cmd {

enum Exit : int { done = 0, failed = 1, bad_input = 2, interrupted = 130 };

using Words = std::span<const std::string>;
int run_operator(Words words);
int run_simulate(Words words);
int run_plan(Words words);
int run_replay(Words words);
int run_generate(Words words);
int run_policies(Words words);
int run_experiment(Words words);
int run_explain(Words words);
int run_encode(Words words);
int run_decode(Words words);

// "lips: message" on stderr, line by line.
void complain(std::string_view message);
// Complains; the exit status for the error.
int end_with(const Error& error);
// To stdout as a whole; failed when it cannot be written.
int print(std::string_view text);

// Unknown names are an error that says which is alike.
Result<void> check_policies(const std::vector<std::string>& names);

class WallStopwatch : public Stopwatch {
 public:
  double seconds() const override;
};

// From now on the first Ctrl-C (or SIGTERM) only sets a mark; the second one ends the program.
void watch_for_interrupt();
bool interrupt_asked();

}  // namespace lips::cmd
