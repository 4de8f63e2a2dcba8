// Damaged and hostile files end in a sentence and a status, soon, and never by a signal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned most_seconds = 20;

struct Hostile {
  const char* file;
  std::vector<std::string> words;  // FILE stands for the file
  int status;
  const char* sentence;  // in what it says on stderr
};

std::ostream& operator<<(std::ostream& out, const Hostile& hostile) { return out << hostile.file; }

const std::vector<Hostile>& hostile_files() {
  static const std::vector<std::string> all{"simulate", "FILE"};
  static const auto with = [](const char* policy) {
    return std::vector<std::string>{"simulate", "FILE", "--policy", policy};
  };
  static const std::vector<Hostile> table{
      {"big.yaml", all, 2, "big.yaml:3: dataSets[0].size: found '1e308Ti'; allowed: a size"},
      {"bs.yaml", all, 2, "bs.yaml:3: blockSize: found '1e-300Mi'; allowed: a size"},
      {"bs2.yaml", all, 2, "copies of blocks in all; allowed: at most 20000000"},
      {"clp-assert-lips.yaml", with("lips"), 2, "cpuPerTask: found '1.0e+300'; allowed: a number from 0 to 1000000000"},
      {"cpu2.yaml", all, 2, "cpu2.yaml:3: jobs[0].cpuPerTask: found '1e14'; allowed: a number from 0 to 1000000000"},
      {"jobs.yaml", all, 2, "found 1000000 jobs in all; allowed: at most 200000"},
      {"keys.yaml", all, 2, "keys.yaml: and 299"},
      {"m-arr1.yaml", with("delay"), 2, "jobs[0].arrival: found '99999999999s'; allowed: a duration"},
      {"m-c1e9.yaml", with("lips"), 0, "lips: cut off: plan after plan was made, and nothing started or ended"},
      {"m-c1e9.yaml", with("delay"), 0, ""},
      {"m-c2.yaml", with("lips"), 2, "jobs[0].shuffle: found '1e300Mi'; allowed: a size"},
      {"m-c3.yaml", with("lsap"), 2, "jobs[0].shuffle: found '1e300Mi'; allowed: a size"},
      {"m-c3.yaml", with("lips-paper"), 2, "jobs[0].shuffle: found '1e300Mi'; allowed: a size"},
      {"m-dl.yaml", with("lips"), 0, "lips: cut off:"},
      {"m-dl.yaml", with("delay"), 0, "delay: "},
      {"m-ep.yaml", with("lips"), 2, "settings.epoch: found 1e-06 s; allowed: 0, or a duration of 1ms or more"},
      {"m-net.yaml", with("spread"), 2, "network.zoneLink: found '1e-20Mbit/s'; allowed: a bandwidth"},
      {"m-out.yaml", all, 2, "jobs[0].outputSize: found '1e9Ti'; allowed: a size"},
      {"neg-lips.yaml", with("lips"), 0, ""},
  };
  return table;
}

std::filesystem::path folder() { return std::filesystem::path(LIPS_SOURCE_DIR) / "tests/data/hostile"; }

class HostileFile : public testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, EndsInASentenceAndNeverByASignal) {
  std::vector<std::string> words = GetParam().words;
  for (std::string& word : words)
    if (word == "FILE") word = (folder() / GetParam().file).string();
  const Said said = lips_within(most_seconds, words);
  EXPECT_LT(said.status, 128) << "signal " << said.status - 128;
  EXPECT_EQ(said.status, GetParam().status) << said.err;
  EXPECT_THAT(said.err, HasSubstr(GetParam().sentence));
  EXPECT_THAT(said.err, Not(HasSubstr("exception"))) << "words of a library";
  EXPECT_EQ(said.out.empty(), GetParam().status != 0) << said.out;
}

INSTANTIATE_TEST_SUITE_P(Files, HostileFile, testing::ValuesIn(hostile_files()));

TEST(Memory, ThatThereIsNoneOfEndsInASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space";
#endif
  const Folder here;
  write(here.file("many.yaml"),
        "zones: [a]\nnodes: [{name: n, count: 2, cores: 2, pricePerHour: 0.1}]\n"
        "jobs: [{name: j, tasks: 9000000, cpuPerTask: 5}]\n");
  const Said said = lips_in(std::size_t{400} << 20, {"simulate", here.file("many.yaml"), "--policy", "fifo"});
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, HasSubstr("lips: the input asks for more memory than there is"));
}

}  // namespace
}  // namespace lips::cmd_test
