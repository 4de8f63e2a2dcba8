// Every target takes each of its inputs, and seeded mutants of them. What a search has found once stays found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/random.h"
#include "tests/fuzz/blind_search.h"

namespace lips::fuzz {

// Else ctest shows the target's bytes.
static void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

constexpr int mutants_of_each = 60;

const std::filesystem::path folders = std::filesystem::path(LIPS_SOURCE_DIR) / "tests/fuzz/inputs";

std::vector<std::string> inputs_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folders / target.name)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

TEST(FuzzTargets, AreThoseThatHaveInputs) {
  std::set<std::string> found, expected;
  for (const auto& entry : std::filesystem::directory_iterator(folders)) found.insert(entry.path().filename());
  for (const Target& target : targets()) expected.insert(target.name);
  EXPECT_EQ(found, expected);
}

class FuzzTarget : public testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, TakesItsInputsAndMutantsOfThem) {
  const Target& target = GetParam();
  const std::vector<std::string> inputs = inputs_of(target);
  ASSERT_FALSE(inputs.empty()) << "tests/fuzz/inputs/" << target.name;
  target.run("");
  int taken = 0, taken_mutants = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    taken += target.run(inputs[i]);
    for (int mutant = 0; mutant < mutants_of_each; ++mutant) {
      const std::uint64_t seed = derive_seed(i, static_cast<std::uint64_t>(mutant));
      taken_mutants += target.run(mutant_of(target.form, inputs[i], inputs[seed % inputs.size()], seed));
    }
  }
  // Inputs that are all refused at the door, say because the format has changed since, test the door alone.
  EXPECT_GT(taken, 0);
  EXPECT_GE(taken_mutants, static_cast<int>(inputs.size())) << "of " << inputs.size() * mutants_of_each;
  RecordProperty("taken", std::to_string(taken) + " of " + std::to_string(inputs.size()) + ", mutants " +
                              std::to_string(taken_mutants));
  // How long each target searches on: scripts/test says so.
  if (const char* seconds = std::getenv("LIPS_SEARCH_SECONDS"))
    search_blindly(target, inputs, std::atof(seconds), std::string(LIPS_BINARY_DIR "/found/") + target.name);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(targets()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace lips::fuzz
