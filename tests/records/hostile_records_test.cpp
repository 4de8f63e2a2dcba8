// Files that somebody damaged or made to do harm: each is refused with a sentence, and what is not refused can be
// planned for. The files in hostile/ once ended the program or kept it busy for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "config/text_file.h"
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/epoch_record.h"
#include "tests/records/rich_snapshot.h"

namespace lips {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

void expect_a_sentence(const Error& error) {
  EXPECT_EQ(error.code, ErrorCode::invalid_input) << error.message;
  EXPECT_THAT(error.message, HasSubstr("found"));
  EXPECT_THAT(error.message, HasSubstr("allowed"));
  EXPECT_THAT(error.message, Not(HasSubstr("exception")));
  EXPECT_LT(error.message.size(), 10'000u);
}

TEST(HostileRecords, AreRefusedWithASentence) {
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(LIPS_SOURCE_DIR "/tests/records/hostile")) {
    SCOPED_TRACE(entry.path().filename().string());
    const Result<std::string> text = read_text_file(entry.path().string());
    ASSERT_TRUE(text);
    const Result<EpochRecord> read = read_epoch("e", *text);
    ASSERT_FALSE(read);
    expect_a_sentence(read.error());
    ++files;
  }
  EXPECT_GE(files, 5);
}

// A few bytes that ask for as much memory as there is.
TEST(HostileRecords, CannotAskForMoreThanAnyClusterHas) {
  const std::string text = write_snapshot(testing::rich_state().snapshot(), {});
  const std::pair<const char*, const char*> asks[] = {{"/nodes/name", R"({"runs":[[100000000,"x"]]})"},
                                                      {"/nodes/name", R"({"runs":[[1999999,"x"],[1999999,"y"]]})"},
                                                      {"/pools/name", R"({"runs":[[100000000,"x"]]})"},
                                                      {"/jobs/name", R"({"runs":[[4000000000,"x"]]})"},
                                                      {"/blocks/count", "100000000"},
                                                      {"/jobs/maps", "100000000"},
                                                      {"/tasks/0/0", "100000000"},
                                                      {"/dataSets/blocks", "100000000"},
                                                      {"/dataSets/codeN", "1000"}};
  for (const auto& [place, value] : asks) {
    SCOPED_TRACE(std::string(place) + " " + value);
    Json json = Json::parse(text);
    json[Json::json_pointer(place)] = Json::parse(value);
    const Result<SnapshotFile> read = read_snapshot("s", json.dump());
    ASSERT_FALSE(read);
    expect_a_sentence(read.error());
  }
}

TEST(HostileRecords, SummariseThousandsOfFaults) {
  Json json = Json::parse(write_snapshot(testing::rich_state().snapshot(), {}));
  json["zones"] = Json::array();
  for (int i = 0; i < 5000; ++i) json["zones"].push_back(i);
  const Result<SnapshotFile> read = read_snapshot("s", json.dump());
  ASSERT_FALSE(read);
  EXPECT_EQ(std::count(read.error().message.begin(), read.error().message.end(), '\n'), 20);
  EXPECT_THAT(read.error().message, HasSubstr("\ns: and 9980 more"));
}

TEST(HostileRecords, NameTheLineOfANumberThatIsTooLarge) {
  const Result<SnapshotFile> read = read_snapshot("s", "{\"format\":\n1e999}");
  ASSERT_FALSE(read);
  expect_a_sentence(read.error());
  EXPECT_THAT(read.error().message, HasSubstr("s:2: found a number that is too large"));
}

// Visits every value in turn, first as it is.
void each_value(Json& json, const std::string& path, const std::function<void(Json&, const std::string&)>& visit) {
  visit(json, path);
  if (!json.is_structured()) return;
  for (auto& [key, value] : json.items()) each_value(value, path + '/' + key, visit);
}

class DamagedRecord : public ::testing::TestWithParam<int> {};

// Each value of a record is replaced by others in turn. What is still read can be planned for, by several policies.
TEST_P(DamagedRecord, IsRefusedOrPlannedForButNeverEndsTheProgram) {
  const Json values[] = {-1,   0,       4294967295,    9223372036854775807, 1e18, -1e18, "x",
                         true, nullptr, Json::array(), Json::object(),      3,    1e-300};
  const Json& value = values[GetParam()];
  const ClusterState state = testing::rich_state();
  Json json =
      Json::parse(write_snapshot(state.snapshot(), uniform_costs(2, UsdPerMebibyte(0.01)), SnapshotDetail::exact));
  std::vector<std::unique_ptr<Policy>> policies;
  for (const char* name : {"fifo", "lips", "fair", "delay", "degraded-first"})
    policies.push_back(*make_policy(name, {}));
  std::size_t refused = 0, planned = 0;
  each_value(json, "", [&](Json& place, const std::string& path) {
    if (path.empty() || place == value) return;
    SCOPED_TRACE(path + " = " + value.dump());
    const Json before = std::exchange(place, value);
    const std::string text = json.dump();
    place = before;
    const Result<SnapshotFile> read = read_snapshot("s", text, SnapshotOrder::as_written);
    if (!read) {
      expect_a_sentence(read.error());
      ++refused;
      return;
    }
    ++planned;
    for (const std::unique_ptr<Policy>& policy : policies)
      (void)policy->decide({read->cluster, read->costs, 1, {}, nullptr});
  });
  EXPECT_GT(refused, 100u);
  RecordProperty("planned", static_cast<int>(planned));
}

INSTANTIATE_TEST_SUITE_P(Values, DamagedRecord, ::testing::Range(0, 13));

// A list that says a row twice, or not at all, is as damaged as one of wrong numbers.
TEST(DamagedRecord, WithRowsTwiceOrMissingIsRefusedOrPlannedFor) {
  const ClusterState state = testing::rich_state();
  Json json = Json::parse(write_snapshot(state.snapshot(), {}, SnapshotDetail::exact));
  const std::unique_ptr<Policy> policy = *make_policy("fifo", {});
  std::size_t refused = 0;
  const auto check = [&] {
    const Result<SnapshotFile> read = read_snapshot("s", json.dump(), SnapshotOrder::as_written);
    if (read)
      (void)policy->decide({read->cluster, read->costs, 1, {}, nullptr});
    else
      expect_a_sentence(read.error()), ++refused;
  };
  each_value(json, "", [&](Json& place, const std::string& path) {
    if (!place.is_array() || place.empty()) return;
    SCOPED_TRACE(path);
    const Json before = place;
    place.push_back(before.front());
    check();
    place = before;
    place.erase(0);
    check();
    place = before;
  });
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace lips
