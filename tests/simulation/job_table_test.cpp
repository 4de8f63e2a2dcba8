#include "simulation/job_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/text_file.h"
#include "simulation/scenario_reader.h"

namespace lips::simulation {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string cell(const YamlValue& row, std::string_view column) {
  const YamlValue* found = row.find(column);
  return found ? found->scalar : "nothing";
}

std::string error_of_table(const std::string& text) {
  const Result<std::vector<YamlValue>> rows = parse_job_table("jobs.csv", text);
  EXPECT_FALSE(rows) << text;
  return rows ? "" : rows.error().message;
}

TEST(JobTable, CountsArrivalsFromTheFirstByWhateverClock) {
  const auto rows = parse_job_table("jobs.csv", "name,arrival\nb,1790000090\na,1790000000\nc,1790000000.25\n");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ(cell((*rows)[0], "arrival"), "90.000000s");
  EXPECT_EQ(cell((*rows)[1], "arrival"), "0.000000s");
  EXPECT_EQ(cell((*rows)[2], "arrival"), "0.250000s");
  const auto spans = parse_job_table("jobs.csv", "arrival\n10m\n1h30m\n");
  ASSERT_TRUE(spans) << spans.error().message;
  EXPECT_EQ(cell((*spans)[1], "arrival"), "4800.000000s");
}

TEST(JobTable, NamesEveryRowOnceAndLeavesEmptyCellsOut) {
  const auto rows =
      parse_job_table("jobs.csv", "name,arrival,memory\n\"etl, daily\",0,1Gi\n\"etl, daily\",5,\n,7,2Gi\n");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(cell((*rows)[0], "name"), "etl, daily");
  EXPECT_EQ(cell((*rows)[1], "name"), "etl, daily-3");
  EXPECT_EQ(cell((*rows)[2], "name"), "job-4");
  EXPECT_EQ(cell((*rows)[0], "memory"), "1Gi");
  EXPECT_EQ(cell((*rows)[1], "memory"), "nothing");
}

TEST(JobTable, GathersTheColumnsOfExtendedResourcesInOneField) {
  const auto rows = parse_job_table(
      "jobs.csv", "arrival,extended.nvidia.com/gpu,cores,extended.example.com/licence\n0,1,2,\n5,,1,\n9,2,1,3\n");
  ASSERT_TRUE(rows) << rows.error().message;
  const YamlValue* first = (*rows)[0].find("extended");
  ASSERT_TRUE(first);
  EXPECT_EQ(cell(*first, "nvidia.com/gpu"), "1");
  EXPECT_EQ(cell(*first, "example.com/licence"), "nothing");
  EXPECT_EQ((*rows)[1].find("extended"), nullptr);
  const YamlValue* third = (*rows)[2].find("extended");
  ASSERT_TRUE(third);
  EXPECT_EQ(cell(*third, "nvidia.com/gpu"), "2");
  EXPECT_EQ(cell(*third, "example.com/licence"), "3");
  EXPECT_EQ(cell((*rows)[2], "cores"), "1");
}

TEST(JobTable, SaysWhatIsWrongWhere) {
  EXPECT_THAT(error_of_table("name,tasks\na,1\n"), HasSubstr("jobs.csv:1: arrival: found no such column"));
  EXPECT_THAT(error_of_table("name,arrival\n"), HasSubstr("jobs.csv: found no jobs"));
  EXPECT_THAT(error_of_table("arrival,arrival\n1,1\n"), HasSubstr("jobs.csv:1: found a column twice"));
  EXPECT_THAT(error_of_table("name,arrival\na,0\nb,-1\n"),
              HasSubstr("jobs.csv:3: arrival: found '-1'; allowed: seconds"));
  EXPECT_THAT(error_of_table("arrival\n0\n30m\n1790000000\n1h\n"),
              AllOf(HasSubstr("jobs.csv:4: arrival: found '1790000000'; allowed: a duration, as in earlier rows"),
                    Not(HasSubstr("jobs.csv:5"))));
  EXPECT_THAT(error_of_table("arrival\n1790000000\n30m\n"),
              HasSubstr("jobs.csv:3: arrival: found '30m'; allowed: seconds by a clock, as in earlier rows"));
  EXPECT_THAT(error_of_table("name,arrival,extended\na,0,1\n"),
              HasSubstr("jobs.csv:1: extended: found no name of a resource; allowed: a column for each resource, such "
                        "as extended.nvidia.com/gpu"));
  EXPECT_THAT(error_of_table("name,arrival\na\n"), HasSubstr("jobs.csv:2: found 1 columns; allowed: 2"));
}

class JobsFile : public testing::Test {
 protected:
  JobsFile() : folder_(std::filesystem::temp_directory_path() / "lips-job-table-test") {
    std::filesystem::create_directories(folder_);
  }
  ~JobsFile() override { std::filesystem::remove_all(folder_); }

  Result<Scenario> read(const std::string& table) const {
    EXPECT_TRUE(write_text_file((folder_ / "jobs.csv").string(), table));
    ScenarioOptions options;
    options.config_folder = LIPS_SOURCE_DIR "/config";
    return parse_scenario((folder_ / "cluster.yaml").string(),
                          "zones: [a, b]\nnodes: [{name: n, count: 2, cores: 4, memory: 16Gi, pricePerHour: 0.1, "
                          "extended: {nvidia.com/gpu: 2}}]\n"
                          "pools: [{name: etl}, {name: web}]\njobsFile: jobs.csv\n"
                          "jobs: [{name: written, tasks: 1, cpuPerTask: 1, arrival: 30s}]\n",
                          options);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(JobsFile, GivesAScenarioJobsWithTheFieldsOfItsColumns) {
  const Result<Scenario> scenario = read(
      "arrival,name,tasks,cpuPerTask,cores,memory,pool,inputSize\n"
      "1000,first,,30,2,1Gi,web,256Mi\n1060,second,3,45,,,etl,\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  std::vector<std::string> names;
  for (const JobArrived& job : scenario->jobs) names.push_back(job.job.name);
  ASSERT_THAT(names, ElementsAre("first", "written", "second")) << "by arrival, with those of the file itself";
  const JobArrived &first = scenario->jobs[0], &second = scenario->jobs[2];
  EXPECT_EQ(first.job.map_tasks, 2u) << "a task for each block";
  EXPECT_EQ(first.job.request, (Resources{Cores(2), Mebibytes(1024), 1}));
  EXPECT_EQ(scenario->cluster.pools[first.job.pool].name, "web");
  EXPECT_TRUE(first.tasks[0].block.valid());
  EXPECT_EQ(second.job.arrival, TimePoint(std::chrono::seconds(60)));
  EXPECT_EQ(second.job.map_tasks, 3u);
  EXPECT_EQ(second.tasks[0].cpu, CpuSeconds(45));
}

TEST_F(JobsFile, GivesEachJobItsOwnSizeWithGpus) {
  const Result<Scenario> scenario =
      read("arrival,name,tasks,cpuPerTask,cores,memory,extended.nvidia.com/gpu\n0,a,1,30,0.25,512Mi,\n0,b,2,30,3,,2\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].job.request, (Resources{Cores(0.25), Mebibytes(512), 1}));
  EXPECT_EQ(scenario->jobs[1].job.request, (Resources{Cores(3), Mebibytes(0), 1, {{ResourceId(0), 2}}}));
  const Result<Scenario> wrong =
      read("arrival,tasks,cpuPerTask,extended.nvidia.com/gpu,extended.amd.com/gpu\n0,1,5,one,\n1,1,5,,1\n2,1,5,-1,\n");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("jobs.csv:2: extended.nvidia.com/gpu: found 'one'; allowed: a number from 0"),
                    HasSubstr("jobs.csv:3: extended: found 'amd.com/gpu'; allowed: nvidia.com/gpu, as nodes have them"),
                    HasSubstr("jobs.csv:4: extended.nvidia.com/gpu: found '-1'")));
}

TEST_F(JobsFile, NamesTheTableAndTheLineInErrors) {
  const Result<Scenario> scenario = read("arrival,tasks,cpuPerTask,poool\n0,1,5,\n10,none,5,x\n");
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().message,
              AllOf(HasSubstr("jobs.csv:3: tasks: found 'none'"),
                    HasSubstr("jobs.csv:3: poool: found an unknown field (did you mean 'pool'?)"),
                    Not(HasSubstr("cluster.yaml"))));
}

}  // namespace
}  // namespace lips::simulation
