#include "config/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "config/settings_reader.h"

namespace lips {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

YamlValue parsed(const std::string& text) {
  Result<YamlValue> value = parse_yaml("f.yaml", text);
  EXPECT_TRUE(value) << (value ? "" : value.error().message);
  return value ? *value : YamlValue{};
}

struct Bad {
  const char *text, *message;
};

// Reads one of each kind; whatever is wrong is in the errors.
std::vector<std::string> errors_of(const std::string& text) {
  const YamlValue tree = parsed(text);
  FileErrors errors{"f.yaml", {}};
  YamlMap root(tree, "", errors);
  static constexpr std::array<std::string_view, 2> names{"free", "fixed"};
  root.text("name");
  root.number("share", 0, share_range);
  root.number("weight", 1, positive);
  root.integer("count", 1, 0, 10);
  root.flag("on", false);
  root.duration("after", Duration(0));
  root.size("block", Mebibytes(1));
  root.bandwidth("link", MebibytesPerSecond(1));
  root.amount("price", 0, "USD/GB");
  root.choice("mode", names, 0);
  root.texts("list");
  root.numbers("figures", not_negative);
  root.text_map("labels");
  root.number_map("weights", not_negative);
  root.durations("edges");
  if (std::optional<YamlMap> inner = root.map("inner")) {
    inner->require("must");
    inner->number("must", 0);
    inner->finish();
  }
  for (YamlMap& item : root.maps("items")) {
    item.integer("n", 0, 0, 5);
    item.finish();
  }
  root.finish();
  return errors.messages;
}

class BadYaml : public testing::TestWithParam<Bad> {};

TEST_P(BadYaml, NamesLineFieldFindingAndWhatIsAllowed) {
  const std::vector<std::string> errors = errors_of(GetParam().text);
  ASSERT_EQ(errors.size(), 1u) << testing::PrintToString(errors);
  EXPECT_EQ(errors[0], GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadYaml,
    testing::Values(
        Bad{"name: [a]", "f.yaml:1: name: found a list; allowed: text"},
        Bad{"\nshare: 2", "f.yaml:2: share: found '2'; allowed: a number from 0 to 1"},
        Bad{"weight: 0", "f.yaml:1: weight: found '0'; allowed: a number from 1e-09 to 1000000000000"},
        Bad{"weight: .inf", "f.yaml:1: weight: found '.inf'; allowed: a number from 1e-09 to 1000000000000"},
        Bad{"weight: nan", "f.yaml:1: weight: found 'nan'; allowed: a number from 1e-09 to 1000000000000"},
        Bad{"name: x\ncount: 1.5", "f.yaml:2: count: found '1.5'; allowed: a whole number from 0 to 10"},
        Bad{"count: 11", "f.yaml:1: count: found '11'; allowed: a whole number from 0 to 10"},
        Bad{"count: 99999999999999999999",
            "f.yaml:1: count: found '99999999999999999999'; allowed: a whole number from 0 to 10"},
        Bad{"on: yes", "f.yaml:1: on: found 'yes'; allowed: true or false"},
        Bad{"after: 90",
            "f.yaml:1: after: found '90'; allowed: a duration such as 90s, 10m or 1h30m (units ms, s, m, h, d), at "
            "most "
            "36525d"},
        Bad{"block: 128",
            "f.yaml:1: block: found '128'; allowed: a size such as 128Mi, 10Gi or 64MB (units B, KB, MB, GB, TB, Ki, "
            "Mi, Gi, Ti), 0 or from 1B to 1048576Ti"},
        Bad{"block: 1e-9B",
            "f.yaml:1: block: found '1e-9B'; allowed: a size such as 128Mi, 10Gi or 64MB (units B, KB, MB, GB, TB, Ki, "
            "Mi, Gi, Ti), 0 or from 1B to 1048576Ti"},
        Bad{"after: 99999999999s",
            "f.yaml:1: after: found '99999999999s'; allowed: a duration such as 90s, 10m or 1h30m (units ms, s, m, h, "
            "d), at most 36525d"},
        Bad{"link: 1e-20Mbit/s",
            "f.yaml:1: link: found '1e-20Mbit/s'; allowed: a bandwidth such as 1Gbit/s or 120MiB/s (units MiB/s, MB/s, "
            "Mbit/s, Gbit/s), at most 1073741824MiB/s; or 0: no limit"},
        Bad{"price: -1",
            "f.yaml:1: price: found '-1'; allowed: an amount of 0 or more in USD/GB, such as 0.02 or '0.02 USD/GB', at "
            "most "
            "1000000000"},
        Bad{"mode: fast", "f.yaml:1: mode: found 'fast'; allowed: free, fixed"},
        Bad{"list: {a: b}", "f.yaml:1: list: found a mapping; allowed: a list of texts"},
        Bad{"list: [a, [b]]", "f.yaml:1: list: found a list; allowed: text"},
        Bad{"figures: [1, x]", "f.yaml:1: figures[1]: found 'x'; allowed: a number from 0 to 1000000000000"},
        Bad{"labels: [a]", "f.yaml:1: labels: found a list; allowed: a mapping of texts"},
        Bad{"weights:\n  a: 1\n  b: -1", "f.yaml:3: weights.b: found '-1'; allowed: a number from 0 to 1000000000000"},
        Bad{"edges: [1s, 5]",
            "f.yaml:1: edges: found '5'; allowed: a duration such as 90s, 10m or 1h30m (units ms, s, m, h, d), at most "
            "36525d"},
        Bad{"inner: 5", "f.yaml:1: inner: found '5'; allowed: a mapping of fields"},
        Bad{"items:\n- n: 1\n- n: 6", "f.yaml:3: items[1].n: found '6'; allowed: a whole number from 0 to 5"},
        Bad{"items:\n- m: 1", "f.yaml:2: items[0].m: found an unknown field (did you mean 'n'?); allowed: n"}));

TEST(YamlMap, ReportsAllErrorsOfAFile) {
  const std::vector<std::string> errors = errors_of("share: 2\ncount: x\nnmae: y\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_THAT(errors[2],
              HasSubstr("f.yaml:3: nmae: found an unknown field (did you mean 'name'?); allowed: after, block"));
}

TEST(YamlMap, KeepsTheFirstErrorsOfAFileAndCountsTheRest) {
  std::string text = "items:\n";
  for (int i = 0; i < 1000; ++i) text += "- {n: 1, unknown: 2}\n";
  const YamlValue tree = parsed(text);
  FileErrors errors{"f.yaml", {}};
  YamlMap root(tree, "", errors);
  for (YamlMap& item : root.maps("items")) item.integer("n", 0, 0, 5), item.finish();
  EXPECT_EQ(errors.messages.size(), 50u);
  EXPECT_THAT(errors.as_error().value().message, testing::EndsWith("\nf.yaml: and 950 more"));
}

TEST(YamlMap, ReportsAMissingFieldAtItsMapping) {
  const std::vector<std::string> errors = errors_of("name: x\ninner:\n  other: 1\n");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], "f.yaml:3: inner.must: found nothing; allowed: a value: the field is required");
}

TEST(YamlMap, ReadsEveryKindOfValue) {
  const YamlValue tree = parsed("a: 1e3\nb: 2h\nc: 1Gi\nd: true\ne: '0.5 USD/h'\nf: [x, y]\ng: one\nh: {k: v}\ni:\n");
  FileErrors errors{"f.yaml", {}};
  YamlMap root(tree, "", errors);
  EXPECT_EQ(root.number("a", 0), 1000);
  EXPECT_EQ(root.duration("b", Duration(0)), std::chrono::hours(2));
  EXPECT_EQ(root.size("c", Mebibytes(0)).value(), 1024);
  EXPECT_TRUE(root.flag("d", false));
  EXPECT_EQ(root.amount("e", 0, "USD/h"), 0.5);
  EXPECT_THAT(root.texts("f"), ElementsAre("x", "y"));
  EXPECT_THAT(root.texts("g"), ElementsAre("one"));
  EXPECT_THAT(root.text_map("h"), ElementsAre(std::pair<std::string, std::string>("k", "v")));
  EXPECT_FALSE(root.has("i"));
  root.finish();
  EXPECT_TRUE(errors.messages.empty());
}

TEST(OverrideYaml, AnEmptyValueIsEmptyTextAndATildeIsNone) {
  YamlValue tree = parsed("listen: 0.0.0.0:8080\nname: x\n");
  ASSERT_TRUE(override_yaml(tree, "listen", ""));
  ASSERT_TRUE(override_yaml(tree, "name", "~"));
  FileErrors errors{"f.yaml", {}};
  YamlMap root(tree, "", errors);
  EXPECT_EQ(root.text("listen", "default"), "");
  EXPECT_EQ(root.text("name", "default"), "default");
}

TEST(OverrideYaml, SetsFieldsByPathIndexAndName) {
  YamlValue tree = parsed("load: 0.8\nnodes:\n- {name: a, count: 1}\n- {name: b, count: 2}\n");
  ASSERT_TRUE(override_yaml(tree, "load", "0.5"));
  ASSERT_TRUE(override_yaml(tree, "nodes.0.count", "7"));
  ASSERT_TRUE(override_yaml(tree, "nodes.b.count", "8"));
  ASSERT_TRUE(override_yaml(tree, "settings.epoch", "5m"));
  EXPECT_EQ(tree.find("load")->scalar, "0.5");
  EXPECT_EQ(tree.find("nodes")->items[0].find("count")->scalar, "7");
  EXPECT_EQ(tree.find("nodes")->items[1].find("count")->scalar, "8");
  EXPECT_EQ(tree.find("settings")->find("epoch")->scalar, "5m");
}

TEST(OverrideYaml, RefusesItemsThatAreNotThereAndEmptySteps) {
  YamlValue tree = parsed("nodes:\n- {name: a}\n");
  EXPECT_THAT(override_yaml(tree, "nodes.c.count", "1").error().message, HasSubstr("found no item 'c' in the list"));
  EXPECT_THAT(override_yaml(tree, "nodes..count", "1").error().message, HasSubstr("empty step"));
}

TEST(OverrideYaml, ErrorsAboutOverriddenFieldsSaySo) {
  YamlValue tree = parsed("count: 1\n");
  ASSERT_TRUE(override_yaml(tree, "count", "many"));
  FileErrors errors{"f.yaml", {}};
  YamlMap root(tree, "", errors);
  root.integer("count", 1, 0, 10);
  EXPECT_THAT(errors.messages, ElementsAre("f.yaml: --set: count: found 'many'; allowed: a whole number from 0 to 10"));
}

TEST(PolicySettings, AreReadAndKeepTheirDefaults) {
  const YamlValue tree =
      parsed("waitingPrice: 2\nepoch: 5m\nbucketEdges: [0, 1m, 1h]\nkeepCopies: false\nexpressLimit: 0.02 USD\n");
  FileErrors errors{"f.yaml", {}};
  PolicySettings settings;
  read_policy_settings(YamlMap(tree, "settings", errors), settings);
  EXPECT_TRUE(errors.messages.empty()) << testing::PrintToString(errors.messages);
  EXPECT_EQ(settings.lips.waiting_price, 2);
  EXPECT_EQ(settings.paper.epoch, std::chrono::minutes(5));
  EXPECT_EQ(settings.lips.time_slot_edges.size(), 3u);
  EXPECT_FALSE(settings.lips.keep_copies);
  EXPECT_EQ(settings.lips.fast_path_limit.value(), 0.02);
  EXPECT_EQ(settings.lips.order_factor, PolicySettings().lips.order_factor);
}

TEST(PolicySettings, RefuseEdgesThatDoNotRiseAndUnknownKnobs) {
  const YamlValue tree = parsed("bucketEdges: [0, 5m, 2m]\nepochs: 5m\n");
  FileErrors errors{"f.yaml", {}};
  PolicySettings settings;
  read_policy_settings(YamlMap(tree, "settings", errors), settings);
  ASSERT_EQ(errors.messages.size(), 2u);
  EXPECT_THAT(errors.messages[0], HasSubstr("f.yaml:1: settings.bucketEdges: found edges that do not rise"));
  EXPECT_THAT(errors.messages[1],
              HasSubstr("f.yaml:2: settings.epochs: found an unknown field (did you mean 'epoch'?)"));
}

}  // namespace
}  // namespace lips
