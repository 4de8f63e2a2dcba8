// Runs the built program and gives back what it said and how it ended.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lips::cmd_test {

struct Said {
  int status = -1;  // exit status; 128 + signal when a signal ended it
  std::string out, err;
};

Said lips(const std::vector<std::string>& words);
// The answer with --format json; the test fails if it does not end well.
nlohmann::json lips_json(std::vector<std::string> words);
// The same, ended by a signal when it takes more CPU time, or ten times as long: a busy machine gives it less of a
// second than it asks for.
Said lips_within(unsigned seconds, const std::vector<std::string>& words);

// The same, with so much address space.
Said lips_in(std::size_t bytes, const std::vector<std::string>& words);

// With a terminal as stderr, and Ctrl-C as soon as that shows `seen`; before it, `then` is given what it showed.
Said lips_interrupted(const std::vector<std::string>& words, const std::string& seen,
                      const std::function<void(const std::string& shown)>& then = {});

// On which port of this machine a running operator listens, from its log.
int port_of(const std::string& shown);
std::string url_of(const std::string& shown);

// Waits until there is such a file.
void wait_for_file(const std::filesystem::path& file);
// Asks at short pauses, for a minute at most; false if it was never so.
bool until(const std::function<bool()>& done);

std::string text_of(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

// A folder for one test, gone at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace lips::cmd_test
