// The list of faults names places in the code and tests; one that was renamed or lost is found here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "tests/architecture/source_rules.h"

namespace lips::architecture {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::filesystem::path root = LIPS_SOURCE_DIR;

// "Suite.Name" of every test of the project.
std::set<std::string> all_tests() {
  static const std::regex test(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  std::set<std::string> names;
  for (const std::string& file : source_files(root)) {
    const std::string text = read_text(root / file);
    for (std::sregex_iterator match(text.begin(), text.end(), test), end; match != end; ++match)
      names.insert((*match)[1].str() + "." + (*match)[2].str());
  }
  return names;
}

// Each can still be put in: the text is there once, and the test that caught it exists.
TEST(Faults, CanBePutIn) {
  const auto tests = all_tests();
  const std::string page = read_text(root / "docs/mutations.md");
  const Json faults = Json::parse(read_text(root / "tests/mutations/faults.json"));
  EXPECT_GE(faults.size(), 20u);
  for (const Json& fault : faults) {
    const std::string what = fault.at("fault"), file = fault.at("file"), from = fault.at("from");
    const std::string text = read_text(root / file);
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << what << ": " << file << " no longer says " << from;
    EXPECT_EQ(text.find(from, place + 1), std::string::npos) << what << ": " << file << " says it twice: " << from;
    EXPECT_NE(from, fault.at("to").get<std::string>()) << what;
    EXPECT_THAT(page, HasSubstr("| " + what + " | `" + file + "` |"));
    for (const Json& test : fault.at("tests"))
      EXPECT_TRUE(tests.contains(test)) << what << ": there is no test " << test;
  }
}

}  // namespace
}  // namespace lips::architecture
