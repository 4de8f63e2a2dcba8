#include "tests/cmd/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace lips::cmd_test {

namespace {

// 0: none.
struct Limits {
  unsigned seconds = 0;   // of CPU time, and ten times as many of waiting
  std::size_t bytes = 0;  // of address space
};

// Never returns in the child when the program can be started.
pid_t start(const std::vector<std::string>& words, const std::string& out, int err, Limits limits = {}) {
  std::vector<std::string> all{LIPS_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int in = open("/dev/null", O_RDONLY), to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || to < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0 || dup2(err, 2) < 0) _exit(126);
  const rlimit time{limits.seconds, limits.seconds}, space{limits.bytes, limits.bytes};
  if (limits.seconds > 0 && setrlimit(RLIMIT_CPU, &time) != 0) _exit(126);
  alarm(10 * limits.seconds);  // outlives execv
  if (limits.bytes > 0 && setrlimit(RLIMIT_AS, &space) != 0) _exit(126);
  execv(LIPS_PROGRAM, arguments.data());
  _exit(127);
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Said run(const std::vector<std::string>& words, Limits limits) {
  const Folder folder;
  Said said;
  const int err = open(folder.file("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  said.status = status_of(start(words, folder.file("out"), err, limits));
  close(err);
  said.out = text_of(folder.file("out")), said.err = text_of(folder.file("err"));
  return said;
}

}  // namespace

Said lips(const std::vector<std::string>& words) { return run(words, {}); }
nlohmann::json lips_json(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  const Said said = lips(words);
  EXPECT_EQ(said.status, 0) << said.err;
  return nlohmann::json::parse(said.out);
}

Said lips_within(unsigned seconds, const std::vector<std::string>& words) { return run(words, {seconds, 0}); }
Said lips_in(std::size_t bytes, const std::vector<std::string>& words) { return run(words, {0, bytes}); }

Said lips_interrupted(const std::vector<std::string>& words, const std::string& seen,
                      const std::function<void(const std::string& shown)>& then) {
  const Folder folder;
  Said said;
  int terminal = -1, other = -1;
  if (openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("no pseudo-terminal");
  const pid_t child = start(words, folder.file("out"), other);
  close(other);
  bool sent = false;
  char buffer[4096];
  // Ends with an error once the program has closed its side.
  for (ssize_t count = 0; (count = read(terminal, buffer, sizeof buffer)) > 0;) {
    said.err.append(buffer, static_cast<std::size_t>(count));
    if (sent || said.err.find(seen) == std::string::npos) continue;
    if (then) then(said.err);
    sent = kill(child, SIGINT) == 0;
  }
  said.status = status_of(child);
  close(terminal);
  said.out = text_of(folder.file("out"));
  return said;
}

int port_of(const std::string& shown) {
  const std::string address = "address=127.0.0.1:";
  return std::stoi(shown.substr(shown.find(address) + address.size()));
}

std::string url_of(const std::string& shown) { return "http://127.0.0.1:" + std::to_string(port_of(shown)); }

void wait_for_file(const std::filesystem::path& file) {
  const int news = inotify_init1(IN_CLOEXEC);
  if (inotify_add_watch(news, file.parent_path().c_str(), IN_CREATE | IN_MOVED_TO) < 0)
    throw std::runtime_error("cannot watch " + file.parent_path().string());
  char events[4096];
  while (!std::filesystem::exists(file) && read(news, events, sizeof events) > 0) {
  }
  close(news);
}

bool until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "lips-cmd-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lips::cmd_test
