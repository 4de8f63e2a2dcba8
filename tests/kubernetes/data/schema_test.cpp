#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/kubernetes/data/crd_schema.h"
#include "tests/kubernetes/data/refusal.h"
#include "tests/kubernetes/data/resource_fields.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

std::string type_of(const YAML::Node& node) {
  if (node["x-kubernetes-int-or-string"]) return "quantity";
  auto type = node["type"].as<std::string>();
  if (type == "string") return node["format"] && node["format"].as<std::string>() == "date-time" ? "time" : "text";
  return type;
}

// path -> type of every leaf but the conditions.
void flatten(const YAML::Node& node, const std::string& path, std::map<std::string, std::string>& leaves) {
  const std::string type = type_of(node);
  if (type == "object") {
    for (const auto& entry : node["properties"])
      flatten(entry.second, path + '.' + entry.first.as<std::string>(), leaves);
  } else if (type == "array") {
    const YAML::Node items = node["items"];
    if (type_of(items) == "text")
      leaves[path + "[]"] = "texts";
    else
      flatten(items, path + "[]", leaves);
  } else {
    leaves[path] = type;
  }
}

std::map<std::string, std::string> schema_leaves(DataKind kind) {
  std::map<std::string, std::string> leaves;
  const YAML::Node properties = schema_of(kind)["properties"];
  for (const char* part : {"spec", "status"}) flatten(properties[part], part, leaves);
  std::erase_if(leaves, [](const auto& leaf) { return leaf.first.starts_with("status.conditions"); });
  return leaves;
}

// An object with this value at the path.
Json with(DataKind kind, std::string path, const Json& value) {
  Json object = {{"metadata", {{"name", "it"}, {"uid", "u"}}}, {"spec", Json::object()}};
  if (kind == DataKind::data_store) object["spec"] = {{"zone", "z"}, {"volume", {{"claimName", "c"}}}};
  for (const char* store : {"nodeDirectory", "bucket"})
    if (path.find(store) != std::string::npos) object["spec"].erase("volume");
  Json* at = &object;
  for (std::size_t end = 0; end != std::string::npos; path.erase(0, end == std::string::npos ? 0 : end + 1)) {
    end = path.find('.');
    std::string step = path.substr(0, end);
    const bool list = step.ends_with("[]");
    if (list) step.resize(step.size() - 2);
    at = &(*at)[step];
    if (list) at = &(*at)[0];
  }
  *at = value;
  return object;
}

std::string in_message(std::string path) {
  for (std::size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]")) path.replace(at, 2, "[0]");
  return path;
}

TEST(Schemas, HaveTheFieldsThatDecodersReadAndNoOther) {
  for (const DataKind kind : data_kinds) {
    std::map<std::string, std::string> expected;
    for (const ResourceField& field : resource_fields())
      if (field.kind == kind) expected[field.path] = field.type;
    EXPECT_EQ(schema_leaves(kind), expected) << kind_name(kind);
  }
}

TEST(Decoders, ReadEveryFieldAndNameTheOneThatIsMalformed) {
  for (const ResourceField& field : resource_fields()) {
    SCOPED_TRACE(std::string(kind_name(field.kind)) + ' ' + field.path);
    EXPECT_EQ(refusal(field.kind, with(field.kind, field.path, Json::parse(field.value))), "");
    const std::string told = refusal(field.kind, with(field.kind, field.path, Json::array({Json::object()})));
    EXPECT_THAT(told, testing::StartsWith(std::string(kind_name(field.kind)) + " it: " + in_message(field.path)));
    EXPECT_THAT(told, testing::HasSubstr("allowed: "));
  }
}

TEST(Schemas, AllowTheTimesOfDayThatDecodersRead) {
  const YAML::Node field = schema_of(DataKind::pool)["properties"]["spec"]["properties"]["targets"]["properties"];
  const std::regex allowed(field["completeBy"]["pattern"].as<std::string>());
  for (int hour = 0; hour < 30; ++hour)
    for (int minute = 0; minute < 70; ++minute) {
      const std::string text = fmt::format("{:02}:{:02}", hour, minute);
      const bool read = refusal(DataKind::pool, with(DataKind::pool, "spec.targets.completeBy", text)).empty();
      EXPECT_EQ(std::regex_match(text, allowed), read) << text;
      EXPECT_EQ(read, minute < 60 && (hour < 24 || (hour == 24 && minute == 0))) << text;
    }
  EXPECT_TRUE(std::regex_match("", allowed));
}

TEST(Schemas, DescribeEveryFieldOfASpec) {
  for (const DataKind kind : data_kinds) {
    const YAML::Node spec = schema_of(kind)["properties"]["spec"];
    for (const auto& entry : spec["properties"])
      EXPECT_TRUE(type_of(entry.second) == "object" || entry.second["description"])
          << kind_name(kind) << ' ' << entry.first.as<std::string>();
  }
}

// The page writes `blockSize`, and `.size` or `k` where a field stands behind its neighbours.
TEST(DataResourcesPage, NamesEveryField) {
  std::ifstream file(std::string(LIPS_SOURCE_DIR) + "/docs/data-resources.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const ResourceField& field : resource_fields()) {
    std::string path = field.path;
    if (path.ends_with("[]")) path.resize(path.size() - 2);
    const std::regex named("`[^`\n]*\\b" + path.substr(path.rfind('.') + 1) + "\\b[^`\n]*`");
    EXPECT_TRUE(std::regex_search(page, named)) << kind_name(field.kind) << ' ' << path;
  }
}

}  // namespace
}  // namespace lips::kubernetes
