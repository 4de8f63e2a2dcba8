// What every command shares: how it ends, what it says, its stopwatch, Ctrl-C. Knows no command.
#pragma once

#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/cli/wall_stopwatch.h"

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

// "lips: message" on stderr, line by line. What would steer a terminal is spelled out, here and in print().
void complain(std::string_view message);
// Complains; the exit status for the error.
int end_with(const Error& error);
// To stdout as a whole; failed when it cannot be written.
int print(std::string_view text);

// What the call gives; an exception that nobody foresaw, and memory that there is none of, are invalid input: whatever
// the program was asked for cannot be done. Every thread that a command starts runs inside one of these.
template <class Call>
auto guarded(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::invalid_input, "the input asks for more memory than there is");
  } catch (const std::length_error&) {
    return fail(ErrorCode::invalid_input, "the input asks for more memory than there is");
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid_input, std::string("the input cannot be worked with: ") + error.what());
  }
}

// Unknown names are an error that says which is alike.
Result<void> check_policies(const std::vector<std::string>& names);

// From now on the first Ctrl-C (or SIGTERM) only sets a mark; the second one ends the program.
void watch_for_interrupt();
bool interrupt_asked();

}  // namespace lips::cmd
