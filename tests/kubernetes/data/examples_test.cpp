// A reader applies examples/ without changing it, so every manifest there has to be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "config/operator_config.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/pods/pod_annotations.h"
#include "tests/kubernetes/data/crd_schema.h"
#include "tests/kubernetes/data/example_objects.h"
#include "tests/kubernetes/data/refusal.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::IsEmpty;

std::optional<DataKind> data_kind(const Json& object) {
  for (const DataKind kind : data_kinds)
    if (object.value("kind", "") == kind_name(kind)) return kind;
  return std::nullopt;
}

bool is_of_type(const Json& value, const YAML::Node& schema) {
  if (schema["x-kubernetes-int-or-string"]) return value.is_string() || value.is_number_integer();
  const auto type = schema["type"].as<std::string>();
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number());
}

// The faults that the API server would refuse: unknown and missing fields, wrong types, patterns and enumerations.
void check(const Json& value, const YAML::Node& schema, const std::string& path, std::vector<std::string>& wrong) {
  if (!is_of_type(value, schema)) return wrong.push_back(path + ": is of the wrong type");
  if (value.is_string() && schema["pattern"] &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].as<std::string>())))
    wrong.push_back(path + ": does not match the pattern");
  if (schema["enum"] && std::none_of(schema["enum"].begin(), schema["enum"].end(),
                                     [&](const YAML::Node& allowed) { return json_of(allowed) == value; }))
    wrong.push_back(path + ": is none of the allowed values");
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
    check(value[i], schema["items"], path + "[" + std::to_string(i) + "]", wrong);
  if (!value.is_object() || !schema["properties"]) return;
  for (const auto& field : schema["required"])
    if (!value.contains(field.as<std::string>()))
      wrong.push_back(path + "." + field.as<std::string>() + ": is missing");
  for (const auto& [key, item] : value.items()) {
    const YAML::Node known = schema["properties"][key];
    if (known)
      check(item, known, path + "." + key, wrong);
    else
      wrong.push_back(path + "." + key + ": there is no such field");
  }
}

std::set<std::string> names_of(std::string_view kind) {
  std::set<std::string> names;
  for (const ExampleObject& object : example_objects())
    if (object.kind() == kind) names.insert(object.json["metadata"]["name"].get<std::string>());
  return names;
}

TEST(Examples, AreWhatTheSchemasAllow) {
  std::set<std::string> kinds;
  for (const ExampleObject& object : example_objects()) {
    const std::optional<DataKind> kind = data_kind(object.json);
    if (!kind) continue;
    kinds.insert(object.kind());
    std::vector<std::string> wrong;
    check(object.json, schema_of(*kind), object.file, wrong);
    EXPECT_THAT(wrong, IsEmpty());
    EXPECT_EQ(refusal(*kind, object.json), "") << object.file;
  }
  for (const DataKind kind : data_kinds) EXPECT_THAT(kinds, Contains(kind_name(kind))) << "shown by no example";
}

TEST(Examples, AreHeldToTheSchemas) {
  Json set = Json::parse(R"({"kind":"DataSet","spec":{"blockSize":"64 Mi","file":[],"stores":[{"blocks":7}]}})");
  std::vector<std::string> wrong;
  check(set, schema_of(DataKind::data_set), "it", wrong);
  EXPECT_THAT(wrong, testing::UnorderedElementsAre(
                         "it.spec.blockSize: does not match the pattern", "it.spec.file: there is no such field",
                         "it.spec.stores[0].name: is missing", "it.spec.stores[0].blocks: is of the wrong type"));
}

TEST(Examples, NameOnlyObjectsThatExamplesHave) {
  const std::set<std::string> stores = names_of("DataStore"), sets = names_of("DataSet");
  for (const ExampleObject& object : example_objects()) {
    const Json spec = object.json.value("spec", Json::object());
    for (const Json& store : spec.value("stores", Json::array()))
      EXPECT_THAT(stores, Contains(store["name"].get<std::string>())) << object.file;
    if (object.kind() == "DataMove") {
      EXPECT_THAT(sets, Contains(spec["dataSet"]["name"].get<std::string>())) << object.file;
      for (const char* end : {"from", "to"}) EXPECT_THAT(stores, Contains(spec[end].get<std::string>())) << object.file;
    }
  }
}

TEST(Examples, HaveJobsWhoseNotesAreUnderstood) {
  std::size_t with_data = 0;
  for (const ExampleObject& object : example_objects()) {
    if (object.kind() != "Job") continue;
    Json pod = object.json["spec"]["template"];
    pod["metadata"]["name"] = "it", pod["metadata"]["namespace"] = "default", pod["metadata"]["uid"] = "u";
    const Result<Pod> decoded = PodDecoder().decode(pod.dump());
    ASSERT_TRUE(decoded) << object.file << ": " << decoded.error().message;
    const Result<PodAnnotations> notes = read_pod_annotations(*decoded);
    ASSERT_TRUE(notes) << object.file << ": " << notes.error().message;
    if (notes->data_set.empty()) continue;
    ++with_data;
    EXPECT_EQ(pod["spec"].value("schedulerName", ""), OperatorConfig().scheduler_name) << object.file;
    EXPECT_THAT(names_of("DataSet"), Contains(notes->data_set.substr(notes->data_set.find('/') + 1))) << object.file;
  }
  EXPECT_GE(with_data, 1u);
}

TEST(Examples, HaveValuesWhoseConfigurationIsRead) {
  for (const ExampleObject& object : example_objects()) {
    if (object.file != "values.yaml") continue;
    Json config = object.json["config"];
    config["apiVersion"] = "config.lips.dev/v1alpha1", config["kind"] = "OperatorConfig";
    const Result<OperatorConfig> read = parse_operator_config(object.file, config.dump(), {});
    EXPECT_TRUE(read) << read.error().message;
    return;
  }
  ADD_FAILURE() << "examples/values.yaml is not there";
}

}  // namespace
}  // namespace lips::kubernetes
