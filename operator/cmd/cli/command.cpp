#include "cmd/cli/command.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include "base/visible_text.h"
#include "cmd/cli/arguments.h"
#include "policies/registry/registry.h"

namespace lips::cmd {

namespace {

volatile std::sig_atomic_t interrupt_mark = 0;

extern "C" void mark_interrupt(int) { interrupt_mark = 1; }

}  // namespace

void print_error(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    if (end != 0) out += fmt::format("lips: {}\n", visible(message.substr(0, end)));
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 1);
  }
  std::fputs(out.c_str(), stderr);
}

int print_error(const Error& error) {
  print_error(error.message);
  switch (error.code) {
    case ErrorCode::invalid_input:
    case ErrorCode::not_found:
      return bad_input;
    case ErrorCode::cancelled:
      return interrupted;
    default:
      return failed;
  }
}

int print(std::string_view given) {
  const std::string text = visible(given);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return done;
  print_error("cannot write the output");
  return failed;
}

Result<void> check_policies(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const PolicyEntry& entry : policy_registry()) known.emplace_back(entry.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(ErrorCode::invalid_input,
                fmt::format("unknown policy '{}'{} ('lips policies' lists them)", name, did_you_mean(name, known)));
  }
  return {};
}

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = mark_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupt_requested() { return interrupt_mark != 0; }

}  // namespace lips::cmd
