#include "source_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace lips::architecture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path root = LIPS_SOURCE_DIR;

TEST(SourceRules, HoldInEveryFile) {
  const auto files = source_files(root);
  ASSERT_GT(files.size(), 30u) << "the sources were not found under " << root;
  for (const std::string& file : files)
    for (const std::string& violation : violations(file, read_text(root / file))) ADD_FAILURE() << violation;
}

TEST(SourceRules, HoldInTheLinkLinesOfCMake) {
  std::size_t seen = 0;
  for (const auto& [folder, allowed] : arrows()) {
    const auto file = root / (folder == "solver" ? "solver" : "operator/" + folder) / "CMakeLists.txt";
    if (!std::filesystem::exists(file)) continue;
    ++seen;
    EXPECT_THAT(link_violations(folder, read_text(file)), IsEmpty()) << file;
  }
  EXPECT_GE(seen, 8u);
}

TEST(SourceRules, KnowEveryFolder) {
  for (const auto& entry : std::filesystem::directory_iterator(root / "operator"))
    if (entry.is_directory()) {
      EXPECT_TRUE(arrows().contains(entry.path().filename().string())) << entry.path() << " has no arrows";
    }
}

TEST(SourceRules, AllowWhatGoesAlongAnArrow) {
  EXPECT_THAT(
      violations("operator/policies/lips.cpp", "#include \"solver/linear_program.h\"\n#include \"model/plan.h\"\n"),
      IsEmpty());
  EXPECT_THAT(violations("operator/simulation/run.cpp", "#include \"config/yaml.h\"\n#include <zlib.h>\n"), IsEmpty());
  EXPECT_THAT(violations("operator/cmd/main.cpp", "#include \"telemetry/report.h\"\n#include \"version.h\"\n"),
              IsEmpty());
}

TEST(SourceRules, RefuseAnIncludeAgainstAnArrow) {
  EXPECT_THAT(violations("operator/model/plan.h", "#pragma once\n#include \"policies/policy.h\"\n"),
              ElementsAre("operator/model/plan.h:2: policies/policy.h: model/ may not include policies/"));
  EXPECT_EQ(violations("operator/base/ids.h", "#include \"model/plan.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/telemetry/report.cpp", "  #  include \"simulation/scenario.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/config/read.cpp", "#include \"controller/observer.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/kubernetes/watch.cpp", "#include \"telemetry/report.h\"\n").size(), 1u);
  EXPECT_EQ(violations("solver/clp_backend.cpp", "#include \"base/units.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/model/costs.cpp", "#include \"solver/linear_program.h\"\n").size(), 1u);
}

TEST(SourceRules, LetTheControllerSeePolicyButNoPolicy) {
  EXPECT_THAT(violations("operator/controller/epoch_controller.h", "#include \"policies/policy.h\"\n"), IsEmpty());
  EXPECT_EQ(violations("operator/controller/epoch_controller.h", "#include \"policies/lips.h\"\n").size(), 1u);
}

TEST(SourceRules, KeepThirdPartiesInTheirPlaces) {
  EXPECT_THAT(violations("solver/clp_backend.cpp", "#include <coin/ClpSimplex.hpp>\n"), IsEmpty());
  for (const char* elsewhere :
       {"solver/clp_backend.h", "solver/mps.cpp", "operator/policies/lips.cpp", "tests/solver/x_test.cpp"})
    EXPECT_EQ(violations(elsewhere, "#include <coin/ClpSimplex.hpp>\n").size(), 1u) << elsewhere;
  EXPECT_EQ(violations("operator/telemetry/page.cpp", "#include <curl/curl.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/kubernetes/watch.cpp", "#include <httplib.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/simulation/scenario.cpp", "#include <yaml-cpp/yaml.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/config/yaml.h", "#include <yaml-cpp/yaml.h>\n").size(), 1u);
}

TEST(SourceRules, KeepJsonOutOfHeaders) {
  const char* json = "#include <nlohmann/json.hpp>\n";
  EXPECT_THAT(violations("operator/telemetry/report.cpp", json), IsEmpty());
  EXPECT_THAT(violations("operator/telemetry/report_json.h", json), IsEmpty());
  EXPECT_EQ(violations("operator/telemetry/report.h", json).size(), 1u);
  EXPECT_EQ(violations("operator/policies/lips.cpp", json).size(), 1u);
}

TEST(SourceRules, RefuseAnIncludedSourceAndAPathUpwards) {
  EXPECT_EQ(violations("tests/model/a_test.cpp", "#include \"model/plan.cpp\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/model/plan.cpp", "#include \"../policies/policy.h\"\n").size(), 1u);
}

TEST(SourceRules, RefuseAClockWhereTimeIsAParameter) {
  EXPECT_EQ(violations("operator/policies/lips.cpp", "auto now = std::chrono::steady_clock::now();\n").size(), 1u);
  EXPECT_THAT(violations("operator/policies/lips.cpp", "// no steady_clock here\n"), IsEmpty());
  EXPECT_THAT(violations("operator/cmd/main.cpp", "auto now = std::chrono::steady_clock::now();\n"), IsEmpty());
}

TEST(SourceRules, RefuseAHeaderThatTakesANamespaceWhole) {
  EXPECT_EQ(violations("operator/model/plan.h", "using namespace std::chrono;\n").size(), 1u);
  EXPECT_THAT(violations("operator/model/plan.cpp", "using namespace std::chrono;\n"), IsEmpty());
}

TEST(SourceRules, RefuseAFileThatIsTooLong) {
  std::string text;
  for (int line = 0; line < 600; ++line) text += "\n";
  EXPECT_THAT(violations("operator/model/plan.cpp", text), IsEmpty());
  EXPECT_THAT(violations("operator/model/plan.cpp", text + "\n"), ElementsAre(HasSubstr("601 lines")));
}

TEST(SourceRules, RefuseALinkAgainstAnArrow) {
  EXPECT_THAT(link_violations("model",
                              "target_link_libraries(lips_model PUBLIC lips_base\n  PRIVATE lips_policies fmt::fmt)\n"),
              ElementsAre("policies"));
  EXPECT_THAT(link_violations("model", "target_link_libraries(lips_model PUBLIC lips_base PRIVATE lips_options)"),
              IsEmpty());
}

std::vector<std::string> packages(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string group, name;
    if (words >> group >> name && !group.starts_with("#")) names.push_back(name);
  }
  return names;
}

TEST(PackageList, IsExplainedPackageByPackage) {
  const auto names = packages(read_text(root / "scripts/packages.txt"));
  const std::string page = read_text(root / "docs/packages.md");
  ASSERT_GT(names.size(), 10u);
  for (const std::string& name : names) EXPECT_THAT(page, HasSubstr("| `" + name + "` |"));
}

// A reader runs the two commands without reading anything else.
TEST(Readme, FirstCodeBlockHoldsTwoCommandsThatExist) {
  std::istringstream lines(read_text(root / "README.md"));
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```") && inside) break;
    if (inside) commands.push_back(line);
    if (line.starts_with("```")) inside = true;
  }
  ASSERT_EQ(commands.size(), 2u);
  for (const std::string& command : commands) EXPECT_TRUE(std::filesystem::exists(root / command)) << command;
}

TEST(Pages, LinkToFilesThatExist) {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");  // without a colon: not another site
  std::vector<std::filesystem::path> pages;
  for (const auto& folder : {root, root / "docs"})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
  ASSERT_GE(pages.size(), 5u);
  for (const auto& page : pages) {
    const std::string text = read_text(page);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match)
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / (*match)[1].str())) << page << ": " << (*match)[1].str();
  }
}

}  // namespace
}  // namespace lips::architecture
