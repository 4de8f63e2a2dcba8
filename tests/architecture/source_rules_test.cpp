#include "tests/architecture/source_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
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
  std::set<std::string> folders;
  for (const auto& [room, allowed] : arrows()) folders.insert(room.substr(0, room.find('/')));
  for (const std::string& folder : folders) {
    const auto file = root / (folder == "solver" ? "solver" : "operator/" + folder) / "CMakeLists.txt";
    ASSERT_TRUE(std::filesystem::exists(file)) << file;
    ++seen;
    EXPECT_THAT(link_violations(folder, read_text(file)), IsEmpty()) << file;
  }
  EXPECT_GE(seen, 13u);
}

// The table in ARCHITECTURE.md and the code say the same: no room is missing there, and no arrow there leads nowhere.
TEST(Architecture, KnowsEveryRoomAndEveryArrow) {
  Arrows found;
  for (const std::string& file : source_files(root)) {
    if (!file.starts_with("operator/") && !file.starts_with("solver/")) continue;
    const std::string path = file.starts_with("operator/") ? file.substr(9) : file;
    const std::string folder = path.substr(0, path.rfind('/'));
    EXPECT_TRUE(arrows().contains(folder)) << folder << " is not in the table of rooms in ARCHITECTURE.md";
    auto& targets = found[folder];
    targets.merge(rooms_included(read_text(root / file)));
    targets.erase(folder);
  }
  for (const auto& [room, allowed] : arrows()) {
    ASSERT_TRUE(found.contains(room)) << room << " is in ARCHITECTURE.md and holds no source";
    for (const std::string& target : allowed) {
      if (target == "base" || target == "model") continue;  // anybody may
      EXPECT_TRUE(found.at(room).contains(target))
          << "ARCHITECTURE.md: " << room << " -> " << target << ": nobody needs it";
    }
  }
}

TEST(Architecture, HasNoCircle) {
  EXPECT_EQ(cycle_in(arrows()), "");
  EXPECT_EQ(cycle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b -> c -> b");
}

// Inside a room, too, a file can be read without those that include it.
TEST(Architecture, HasNoCircleOfFilesInsideARoom) {
  std::map<std::string, std::string> texts;
  for (const std::string& file : source_files(root)) texts[file] = read_text(root / file);
  EXPECT_THAT(circles_of_files(texts), IsEmpty());
}

TEST(Architecture, FindsACircleOfFiles) {
  EXPECT_THAT(circles_of_files({{"operator/model/a.h", "#include \"model/b.h\"\n"},
                                {"operator/model/b.h", ""},
                                {"operator/model/b.cpp", "#include \"model/b.h\"\n#include \"model/c.h\"\n"},
                                {"operator/model/c.h", "#include \"model/a.h\"\n"},
                                {"operator/model/d.h", "#include \"model/a.h\"\n"}}),
              ElementsAre("operator/model: a b c"));
  EXPECT_THAT(circles_of_files({{"operator/model/a.h", ""}, {"operator/model/a.cpp", "#include \"model/a.h\"\n"}}),
              IsEmpty());
}

TEST(Architecture, ReadsRoomsAndFoldersOfRooms) {
  const Arrows read = read_arrows(
      "| room | may include | holds |\n|---|---|---|\n| `base` | | units |\n| `policies`, `policies/lips` | `base` | x "
      "|\n"
      "| `cmd` | `policies/...` | all |\n\n| `other` | `base` | |\n");
  EXPECT_EQ(
      read,
      (Arrows{
          {"base", {}}, {"policies", {"base"}}, {"policies/lips", {"base"}}, {"cmd", {"policies", "policies/lips"}}}));
}

TEST(SourceRules, AllowWhatGoesAlongAnArrow) {
  EXPECT_THAT(violations("operator/policies/lips/lips.cpp",
                         "#include \"solver/linear_program.h\"\n#include \"model/plan.h\"\n"),
              IsEmpty());
  EXPECT_THAT(violations("operator/simulation/run.cpp", "#include \"config/yaml.h\"\n#include <zlib.h>\n"), IsEmpty());
  EXPECT_THAT(
      violations("operator/cmd/main.cpp", "#include \"telemetry/status/status_server.h\"\n#include \"version.h\"\n"),
      IsEmpty());
}

TEST(SourceRules, RefuseAnIncludeAgainstAnArrow) {
  EXPECT_THAT(violations("operator/model/plan.h", "#pragma once\n#include \"policies/policy.h\"\n"),
              ElementsAre("operator/model/plan.h:2: policies/policy.h: model/ may not include policies/"));
  EXPECT_EQ(violations("operator/base/ids.h", "#include \"model/plan.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/telemetry/report/report.cpp", "  #  include \"simulation/scenario.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/config/read.cpp", "#include \"controller/observer.h\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/kubernetes/api/watch.cpp", "#include \"telemetry/report/report.h\"\n").size(), 1u);
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
       {"solver/clp_backend.h", "solver/mps.cpp", "operator/policies/lips/lips.cpp", "tests/solver/x_test.cpp"})
    EXPECT_EQ(violations(elsewhere, "#include <coin/ClpSimplex.hpp>\n").size(), 1u) << elsewhere;
  EXPECT_EQ(violations("operator/telemetry/page/page.cpp", "#include <curl/curl.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/kubernetes/api/watch.cpp", "#include <httplib.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/simulation/scenario.cpp", "#include <yaml-cpp/yaml.h>\n").size(), 1u);
  EXPECT_EQ(violations("operator/config/yaml.h", "#include <yaml-cpp/yaml.h>\n").size(), 1u);
  EXPECT_THAT(violations("operator/config/time_zone.cpp", "#include <cctz/time_zone.h>\n"), IsEmpty());
  EXPECT_EQ(violations("operator/config/cron_schedule.cpp", "#include <cctz/time_zone.h>\n").size(), 1u);
}

TEST(SourceRules, KeepJsonOutOfHeaders) {
  const char* json = "#include <nlohmann/json.hpp>\n";
  EXPECT_THAT(violations("operator/telemetry/report/report.cpp", json), IsEmpty());
  EXPECT_THAT(violations("operator/telemetry/report/report_json.h", json), IsEmpty());
  EXPECT_EQ(violations("operator/telemetry/report/report.h", json).size(), 1u);
  EXPECT_EQ(violations("operator/policies/lips/lips.cpp", json).size(), 1u);
}

TEST(SourceRules, RefuseAnIncludedSourceAndAPathUpwards) {
  EXPECT_EQ(violations("tests/model/a_test.cpp", "#include \"model/plan.cpp\"\n").size(), 1u);
  EXPECT_EQ(violations("operator/model/plan.cpp", "#include \"../policies/policy.h\"\n").size(), 1u);
}

TEST(SourceRules, RefuseAClockWhereTimeIsAParameter) {
  EXPECT_EQ(violations("operator/policies/lips/lips.cpp", "auto now = std::chrono::steady_clock::now();\n").size(), 1u);
  EXPECT_THAT(violations("operator/policies/lips/lips.cpp", "// no steady_clock here\n"), IsEmpty());
  EXPECT_THAT(violations("operator/cmd/main.cpp", "auto now = std::chrono::steady_clock::now();\n"), IsEmpty());
}

TEST(SourceRules, RefuseALockInTheAdapterButAtItsBorders) {
  const char* lock = "const std::lock_guard lock(own_);\n";
  for (const char* file : {"adapter/watch_book.cpp", "data/data_catalog.h", "pods/pod_cache.cpp", "api/leadership.cpp"})
    EXPECT_EQ(violations(std::string("operator/kubernetes/") + file, lock).size(), 1u) << file;
  EXPECT_EQ(violations("operator/kubernetes/adapter/inbox.h", "#include <mutex>\n").size(), 1u);
  EXPECT_THAT(violations("operator/kubernetes/api/real_loop.cpp", lock), IsEmpty());
  EXPECT_THAT(violations("operator/cmd/service/live_policy.cpp", lock), IsEmpty());
  EXPECT_THAT(violations("operator/kubernetes/adapter/inbox.h", "// needs no mutex\n"), IsEmpty());
}

TEST(SourceRules, RefuseATestThatSleepsOrSpins) {
  for (const char* nap : {"std::this_thread::sleep_for(one);\n", "std::this_thread::sleep_until(then);\n",
                          "std::this_thread::yield();\n", "  usleep(5'000);\n", "  sleep(1);\n"}) {
    EXPECT_EQ(violations("tests/kubernetes/adapter/a_test.cpp", nap).size(), 1u) << nap;
    EXPECT_THAT(violations("operator/cmd/service/price_feed.cpp", nap), IsEmpty());
  }
  EXPECT_THAT(violations("tests/base/a_test.cpp", "// no sleep_for here\n"), IsEmpty());
}

TEST(SourceRules, RefuseAHeaderThatTakesANamespaceWhole) {
  EXPECT_EQ(violations("operator/model/plan.h", "using namespace std::chrono;\n").size(), 1u);
  EXPECT_THAT(violations("operator/model/plan.cpp", "using namespace std::chrono;\n"), IsEmpty());
}

TEST(SourceRules, RefuseAFileThatIsTooLong) {
  std::string text;
  for (int line = 0; line < 500; ++line) text += "\n";
  EXPECT_THAT(violations("operator/model/plan.cpp", text), IsEmpty());
  EXPECT_THAT(violations("operator/model/plan.cpp", text + "\n"), ElementsAre(HasSubstr("501 lines")));
  EXPECT_THAT(violations("tests/model/plan_test.cpp", text + text.substr(0, 100)), IsEmpty());
  EXPECT_THAT(violations("tests/model/plan_test.cpp", text + text.substr(0, 101)), ElementsAre(HasSubstr("601 lines")));
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

std::vector<std::filesystem::path> markdown_pages() {
  std::vector<std::filesystem::path> pages;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  for (const char* folder : {"docs", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
  EXPECT_GE(pages.size(), 30u);
  return pages;
}

// Headings as GitHub makes anchors of them: lower case, blanks to hyphens, punctuation left out.
std::set<std::string> anchors_of(const std::filesystem::path& page) {
  std::set<std::string> anchors;
  std::istringstream lines(read_text(page));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of('#') + 1))
      if (c == ' ' || c == '-')
        anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Pages, LinkToFilesAndHeadingsThatExist) {
  static const std::regex link(R"(\]\(([^)#:]*)(#[^)]*)?\))");  // without a colon: not another site
  for (const auto& page : markdown_pages()) {
    const std::string text = read_text(page);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string file = (*match)[1].str(), heading = (*match)[2].str();
      const auto target = file.empty() ? page : page.parent_path() / file;
      EXPECT_TRUE(std::filesystem::exists(target)) << page << ": " << file;
      if (heading.empty() || target.extension() != ".md") continue;
      EXPECT_TRUE(anchors_of(target).contains(heading.substr(1))) << page << ": " << file << heading;
    }
  }
}

// Suite.Test of every test below tests/.
std::set<std::string> names_of_tests() {
  static const std::regex test(R"(\bTEST(_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_text(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), test), end; match != end; ++match)
      names.insert((*match)[2].str() + "." + (*match)[3].str());
  }
  return names;
}

// A guarantee on a page names the test that fails when it does not hold; renaming the test must not strand it.
TEST(Pages, NameTestsThatExist) {
  static const std::regex named(R"(`([A-Z]\w+)\.([A-Z]\w+)`)");
  const std::set<std::string> tests = names_of_tests();
  std::size_t found = 0;
  for (const auto& page : markdown_pages()) {
    const std::string text = read_text(page);
    for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match, ++found) {
      const std::string name = (*match)[1].str() + "." + (*match)[2].str();
      EXPECT_TRUE(tests.contains(name)) << page.string() << ": there is no test " << name;
    }
  }
  EXPECT_GE(found, 50u);
}

// A page that no index names is found by nobody.
TEST(Pages, AreAllInTheIndex) {
  const std::string index = read_text(root / "docs/README.md");
  for (const auto& page : markdown_pages()) {
    if (page.parent_path() == root || page == root / "docs/README.md") continue;
    const auto folder = page.parent_path();
    const bool own_index = folder != root / "docs" && page.filename() != "README.md";
    const std::string list = own_index ? read_text(folder / "README.md") : index;
    const auto link = std::filesystem::relative(page, own_index ? folder : root / "docs");
    EXPECT_NE(list.find("(" + link.string() + ")"), std::string::npos) << page << " is in no index";
  }
}

// Long lines hide changes in a diff; tables and code cannot be broken.
TEST(Pages, HaveLinesThatFitAScreen) {
  std::vector<std::filesystem::path> pages = markdown_pages();
  for (const auto& page : pages) {
    std::istringstream lines(read_text(page));
    bool code = false;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.starts_with("```")) code = !code;
      if (code || line.starts_with("|") || line.starts_with("    ")) continue;
      EXPECT_LE(line.size(), 160u) << page.string() << ":" << number;
    }
  }
}

}  // namespace
}  // namespace lips::architecture
