#include "config/yaml_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lips {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  const Result<YamlValue> value = parse_yaml("f.yaml", text);
  return value ? "none" : value.error().message;
}

TEST(ParseYaml, KeepsTheOrderAndTheLines) {
  const Result<YamlValue> value = parse_yaml("f.yaml", "b: 1\na:\n- x\n- {c: ~, d: }\n");
  ASSERT_TRUE(value);
  ASSERT_EQ(value->kind, YamlValue::Kind::map);
  ASSERT_EQ(value->entries.size(), 2u);
  EXPECT_EQ(value->entries[0].key, "b");
  const YamlValue& list = value->entries[1].value;
  ASSERT_EQ(list.kind, YamlValue::Kind::list);
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0].line, 3);
  EXPECT_EQ(list.items[1].line, 4);
  EXPECT_EQ(list.items[1].find("c")->kind, YamlValue::Kind::nothing);
  EXPECT_EQ(list.items[1].find("d")->kind, YamlValue::Kind::nothing);
  EXPECT_EQ(parse_yaml("f.yaml", "# nothing\n")->kind, YamlValue::Kind::nothing);
}

TEST(ParseYaml, ExpandsAliases) {
  const Result<YamlValue> value = parse_yaml("f.yaml", "a: &a {x: &x 1}\nb: *a\nc: [*x, *a]\n*x : d\n");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->find("b")->find("x")->scalar, "1");
  EXPECT_EQ(value->find("c")->items[0].scalar, "1");
  EXPECT_EQ(value->find("c")->items[1].find("x")->scalar, "1");
  EXPECT_EQ(value->find("1")->scalar, "d");
}

// To yaml-cpp what follows the first of these is documents without end; it took all memory.
TEST(ParseYaml, RefusesWhatFollowsTheEndOfTheDocument) {
  const std::string words = "found more text after the end of the YAML document; allowed: one document";
  EXPECT_EQ(error_of("{},"), "f.yaml:1: " + words);
  EXPECT_EQ(error_of("[]\n[]"), "f.yaml:2: " + words);
  EXPECT_EQ(error_of("a: 1\n---\nb: 1\n"), "f.yaml:2: " + words);
}

TEST(ParseYaml, RefusesKeysThatAreNoText) {
  for (const char* text : {"[a]: 1", "{a: 1}: 1", "? [a]\n: 1", "~: 1", "{: 1}"})
    EXPECT_THAT(error_of(text), HasSubstr("found a key that is empty, a list or a mapping")) << text;
}

TEST(ParseYaml, RefusesAnAliasOfWhatItStandsIn) {
  EXPECT_THAT(error_of("a: &a [1, *a]"), HasSubstr("f.yaml:1: found an alias of a value that contains the alias"));
}

// A level more with each line, by an alias of the last.
TEST(ParseYaml, RefusesDepthByAliases) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(error_of(text), HasSubstr("f.yaml:100: found too many values or too deep nesting"));
  EXPECT_THAT(error_of(std::string(150, '[') + std::string(150, ']')), HasSubstr("too deep nesting"));
}

TEST(ParseYaml, RefusesWhatIsNotYamlWithItsLine) {
  const Result<YamlValue> value = parse_yaml("f.yaml", "a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(value.error().message, testing::MatchesRegex("f.yaml:[0-9]+: found text that is not YAML.*"));
}

TEST(ParseYaml, RefusesAKeyGivenTwice) {
  const Result<YamlValue> value = parse_yaml("f.yaml", "a: 1\nb: 2\na: 3\n");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "f.yaml:3: a: found twice (first at line 1); allowed: once");
}

TEST(ParseYaml, RefusesAliasesThatUnfoldWithoutEnd) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  const Result<YamlValue> value = parse_yaml("f.yaml", bomb);
  ASSERT_FALSE(value);
  EXPECT_THAT(value.error().message, HasSubstr("too many values"));
}

TEST(ParseYaml, TakesNoLongerForEachKeyOfALargeMapping) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "k" + std::to_string(i) + ": 1\n";  // minutes, when every key is compared
  EXPECT_EQ(parse_yaml("f.yaml", text)->entries.size(), 200'000u);
}

}  // namespace
}  // namespace lips
