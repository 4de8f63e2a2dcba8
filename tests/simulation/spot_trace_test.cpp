#include "simulation/spot_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/text_file.h"
#include "simulation/scenario_reader.h"

namespace lips::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string head = "zone,from_s,until_s,running\n";

TimePoint at(double second) { return TimePoint(seconds(second)); }

TEST(SpotTrace, HasTheSpellsWithoutNodesByZoneAndTime) {
  const Result<SpotTrace> trace = parse_spot_trace(
      "t.csv", head + "b,0,34,0\nb,34,100,1\na,0,50,1\na,50,60,0\nb,200,300,0\nb,100,200,0\nb,5,5,0\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(trace->zones, ElementsAre("b", "a"));
  ASSERT_EQ(trace->outages.size(), 3u);
  EXPECT_EQ(trace->outages[0].until, at(34));
  EXPECT_EQ(trace->outages[1].from, at(100)) << "two that touch are one";
  EXPECT_EQ(trace->outages[1].until, at(300));
  EXPECT_EQ(trace->outages[2].zone, 1u);
}

TEST(SpotTrace, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& rows) { return parse_spot_trace("t.csv", rows).error().message; };
  EXPECT_THAT(message("zone,from_s\n"), HasSubstr("t.csv:1: until_s: found no such column"));
  EXPECT_THAT(message(head + "a,9,5,0\n"), HasSubstr("t.csv:2: until_s: found '5'; allowed: not before from_s"));
  EXPECT_THAT(message(head + "a,x,5,0\n"), HasSubstr("t.csv:2: from_s: found 'x'"));
  EXPECT_THAT(message(head + "a,1,5,yes\n"), HasSubstr("t.csv:2: running: found 'yes'"));
}

TEST(ScenarioReader, ASpotTraceStandsForTheScenariosZonesInTurn) {
  const std::string folder = testing::TempDir() + "spot-trace";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_text_file(folder + "/spot.csv", head + "us-1b,0,60,0\nus-1c,0,60,1\nus-1c,60,90,0\nus-1d,0,9,0\n"));
  const auto scenario = [&](const std::string& trace) {
    return parse_scenario(folder + "/day.yaml", R"(
zones: [x, y]
nodes: [{name: m, fleet: elastic, limit: 2, cores: 4, pricePerHour: 0.4, capacityTypes: [spot]}]
autoscaler: {spotTrace: )" + trace + R"(}
stores: {nodeDirectories: false}
jobs: [{name: j, tasks: 2, cpuPerTask: 10}]
)");
  };
  const Result<Scenario> read = scenario("spot.csv");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->fleet.outages.size(), 2u) << "the third zone of the trace stands for none";
  EXPECT_EQ(read->fleet.outages[1].zone, ZoneId(1));
  EXPECT_EQ(read->fleet.outages[1].from, at(60));
  const Result<Scenario> missing = scenario("none.csv");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("spotTrace: found no file 'none.csv'"));
}

}  // namespace
}  // namespace lips::simulation
