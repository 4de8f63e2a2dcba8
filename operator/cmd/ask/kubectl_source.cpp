#include "cmd/ask/kubectl_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace lips::cmd {

namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0], write_end = ends[1];
    return true;
  }
  void close_end(int& end) {
    if (end >= 0) close(std::exchange(end, -1));
  }
  ~Pipe() { close_end(read_end), close_end(write_end); }
};

std::string read_all(int from) {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t count = read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::string> run_kubectl(std::vector<std::string> words) {
  words.insert(words.begin(), "kubectl");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Pipe out, err;
  if (!out.open() || !err.open()) return fail(ErrorCode::unavailable, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, "kubectl", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return fail(ErrorCode::unavailable, fmt::format("cannot run kubectl: {}", std::strerror(problem)));
  out.close_end(out.write_end), err.close_end(err.write_end);
  std::string text = read_all(out.read_end);
  std::string said = read_all(err.read_end);  // less than a pipe holds, so kubectl never waits for it
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  while (said.ends_with('\n')) said.pop_back();
  return fail(ErrorCode::unavailable, said.empty() ? "kubectl failed" : said);
}

}  // namespace lips::cmd
