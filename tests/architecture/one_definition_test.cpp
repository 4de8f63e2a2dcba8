#include "one_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "source_rules.h"

namespace lips::architecture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OneDefinition, NoTwoTypesOfTheProductShareAName) {
  const std::filesystem::path project = LIPS_SOURCE_DIR;
  std::map<std::string, std::string> texts;
  std::size_t types = 0;
  for (const std::string& file : source_files(project)) {
    if (!file.starts_with("solver/") && !file.starts_with("operator/")) continue;
    types += defined_types(texts[file] = read_text(project / file)).size();
  }
  EXPECT_GT(types, 500u) << "hardly any type was found";
  for (const auto& [type, files] : defined_twice(texts)) ADD_FAILURE() << type << ": " << testing::PrintToString(files);
}

TEST(OneDefinition, FindsATypeThatTwoFilesDefine) {
  const auto found = defined_twice({{"a.h", "namespace lips {\nstruct Place {\n  int x;\n};\n}"},
                                    {"b.h", "namespace lips {\nclass Place final : public Base {\n};\n}"},
                                    {"c.h", "namespace lips::other { enum class Place : int { here }; }"}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->first, "lips::Place");
  EXPECT_THAT(found.begin()->second, ElementsAre("a.h", "b.h"));
}

TEST(OneDefinition, KnowsWhatIsVisibleFromElsewhere) {
  EXPECT_THAT(defined_types("namespace lips { namespace { struct Own { int x; }; } }"), IsEmpty());
  EXPECT_THAT(defined_types("namespace lips { struct Outer { struct Inner { int x; }; }; }"),
              ElementsAre("lips::Outer"));
  EXPECT_THAT(defined_types("namespace lips { struct Declared; void f() { struct Local { int x; }; } }"), IsEmpty());
  EXPECT_THAT(defined_types("template <class T>\nstruct std::hash<lips::Id<T>> { int x; };"), IsEmpty());
  EXPECT_THAT(
      defined_types(
          "namespace lips { /* struct A { */ const char* t = \"struct B {\"; template <class T>\nclass C { T t; }; }"),
      ElementsAre("lips::C"));
}

}  // namespace
}  // namespace lips::architecture
