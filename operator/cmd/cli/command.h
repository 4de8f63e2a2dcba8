// Shared by all commands: exit status, output, stopwatch, Ctrl-C. Knows no command.
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
int run_tune(Words words);
int run_plan(Words words);
int run_replay(Words words);
int run_record(Words words);
int run_twin(Words words);
int run_generate(Words words);
int run_policies(Words words);
int run_experiment(Words words);
int run_explain(Words words);
int run_prices(Words words);
int run_encode(Words words);
int run_decode(Words words);
int run_status(Words words);
int run_why(Words words);
int run_what_if(Words words);
int run_plans(Words words);
int run_data(Words words);
int run_moves(Words words);
int run_expected(Words words);
int run_holds(Words words);
int run_ledger(Words words);
int run_targets(Words words);
int run_applications(Words words);
int run_report(Words words);
int run_completion(Words words);

// "lips: message" on stderr, line by line. Control characters are spelled out, here and in print().
void print_error(std::string_view message);
// Prints it too; returns the exit status for it.
int print_error(const Error& error);
// All of it to stdout; returns `failed` when it cannot be written.
int print(std::string_view text);

// The result of the call. An unforeseen exception, or a lack of memory, means that the input asks for something
// impossible: it is reported as invalid input. Every thread that a command starts runs inside one of these.
template <class Call>
auto guarded(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::invalid_input, "the input asks for more memory than there is");
  } catch (const std::length_error&) {
    return fail(ErrorCode::invalid_input, "the input asks for more memory than there is");
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid_input, std::string("cannot process the input: ") + error.what());
  }
}

// The error for an unknown name suggests the nearest known one.
Result<void> check_policies(const std::vector<std::string>& names);

// After this the first Ctrl-C (or SIGTERM) only sets a flag; the second ends the program.
void watch_for_interrupt();
bool interrupt_requested();

}  // namespace lips::cmd
