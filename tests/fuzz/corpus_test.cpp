// Every target takes each of its inputs, and seeded mutants of them. What a search has found once stays found.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::fuzz {
namespace {

constexpr int mutants_of_each = 60;

std::vector<std::string> inputs_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(LIPS_SOURCE_DIR) / "tests/fuzz/inputs" / target.name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

std::string mutated_bytes(std::string text, std::uint64_t seed) {
  Random random(seed);
  for (std::uint64_t left = 1 + random.below(3); left > 0 && !text.empty(); --left) {
    const std::size_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text.erase(at, 1 + random.below(8));
        break;
      case 1:
        text[at] = static_cast<char>(random.below(256));
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), 1 + random.below(16)));
    }
  }
  return text;
}

class FuzzTarget : public testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, TakesItsInputsAndMutantsOfThem) {
  const Target& target = GetParam();
  const std::vector<std::string> inputs = inputs_of(target);
  ASSERT_FALSE(inputs.empty()) << "tests/fuzz/inputs/" << target.name;
  target.run("");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    target.run(inputs[i]);
    for (int mutant = 0; mutant < mutants_of_each; ++mutant) {
      const std::uint64_t seed = derive_seed(i, static_cast<std::uint64_t>(mutant));
      target.run(target.form == Form::json && mutant % 4 != 0 ? mutated_json(inputs[i], seed)
                                                              : mutated_bytes(inputs[i], seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(targets()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace lips::fuzz
