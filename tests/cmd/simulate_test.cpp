#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json simulated(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return lips_json(std::move(words));
}

// The fields that depend on the machine.
json without_measured(json result) {
  for (json& run : result["runs"]) run.erase("decidingSeconds");
  return result;
}

TEST(Simulate, JsonHasEveryFieldOfTheContract) {
  const json result = simulated({"quickstart", "--policy", "lips,delay", "--seed", "3"});
  for (const char* field :
       {"scenario", "seed", "version", "lowerBound", "lowerBoundHorizonSeconds", "assumptions", "runs"})
    EXPECT_TRUE(result.contains(field)) << field;
  EXPECT_EQ(result["scenario"], "quickstart");
  EXPECT_EQ(result["seed"], 3);
  EXPECT_FALSE(result["assumptions"].empty());
  ASSERT_EQ(result["runs"].size(), 2U);
  for (const json& run : result["runs"]) {
    for (const char* field :
         {"policy", "invoice", "dollars", "lowerBound", "makespanSeconds", "jobsFinished", "jobs", "completionSeconds",
          "smallJobs", "locality", "crossZoneMebibytes", "fairness", "plans", "gap", "finished"})
      EXPECT_TRUE(run.contains(field)) << field;
    for (const char* term :
         {"total", "cpu", "transfer", "shuffle", "moves", "storage", "nodeHours", "nodeHoursReleased"})
      EXPECT_TRUE(run["dollars"][term].is_number()) << term;
    for (const char* figure : {"mean", "p50", "p95", "max"})
      EXPECT_TRUE(run["completionSeconds"][figure].is_number()) << figure;
    for (const char* level : {"node", "rack", "zone", "remote", "none"}) {
      EXPECT_TRUE(run["locality"]["tasks"][level].is_number());
      EXPECT_TRUE(run["locality"]["mebibytes"][level].is_number());
    }
    EXPECT_TRUE(run["fairness"]["pools"].is_array());
    EXPECT_TRUE(run["finished"].get<bool>());
    EXPECT_EQ(run["jobsFinished"], run["jobs"]);
  }
}

TEST(Simulate, BoundsEachRunAtItsMeanWaitOnRequest) {
  const json plain = simulated({"quickstart", "--policy", "lips"});
  EXPECT_FALSE(plain["runs"][0].contains("waitingBound"));
  const json result = simulated({"quickstart", "--policy", "lips,delay", "--waiting-bound"});
  for (const json& run : result["runs"]) {
    EXPECT_GT(run["meanWaitSeconds"].get<double>(), 0);
    EXPECT_GT(run["waitingBound"].get<double>(), 0);
    EXPECT_LE(run["waitingBound"].get<double>(), run["dollars"]["total"].get<double>() * (1 + 1e-9));
  }
}

TEST(Simulate, JsonSaysWhyARunDidNotFinish) {
  const Folder folder;
  write(folder.file("lost.yaml"),
        "zones: [a]\nnodes: [{name: n, count: 2, cores: 1, pricePerHour: 0.1}]\nplacement: oneReplica\n"
        "failures: [{nodes: [n-0, n-1], at: 1s, down: 10s, dataLost: true}]\n"
        "jobs: [{name: j, inputSize: 128Mi, cpuPerTask: 60}]\n");
  const json run = simulated({folder.file("lost.yaml"), "--policy", "fifo"})["runs"][0];
  EXPECT_FALSE(run["finished"].get<bool>());
  EXPECT_EQ(run["jobsFailed"], 1);
  for (const char* reason : {"stopped", "stuck", "endless"}) EXPECT_FALSE(run[reason].get<bool>()) << reason;
  EXPECT_EQ(run["unfinishedJobs"], json::array({"j"}));
}

TEST(Simulate, TheTermsOfABillAddUpAndNoneIsBelowTheBound) {
  const json result = simulated({"quickstart", "--policy", "lips,lips-paper,fifo"});
  for (const json& run : result["runs"]) {
    double sum = 0;
    for (const char* term : {"cpu", "transfer", "shuffle", "moves", "storage"})
      sum += run["dollars"][term].get<double>();
    EXPECT_NEAR(sum, run["dollars"]["total"].get<double>(), 1e-9);
    if (run["lowerBound"].is_number()) {
      EXPECT_GE(sum, run["lowerBound"].get<double>() * (1 - 1e-9));
    }
  }
}

TEST(Simulate, TheInvoiceIsTheSumOfItsPartsAndOfItsLines) {
  const json comparison = simulated({"quickstart", "--policy", "lips,spread"});
  EXPECT_EQ(comparison["billing"], "invoice");
  for (const json& run : comparison["runs"]) {
    const json& invoice = run["invoice"];
    double sum = 0, nodes = 0, transfer = 0;
    for (const char* part : {"nodes", "transfer", "storage", "requests"}) sum += invoice[part].get<double>();
    for (const json& line : invoice["nodeLines"]) nodes += line["dollars"].get<double>();
    for (const json& line : invoice["transferLines"]) transfer += line["dollars"].get<double>();
    EXPECT_NEAR(sum, invoice["total"].get<double>(), 1e-9);
    EXPECT_NEAR(nodes, invoice["nodes"].get<double>(), 1e-9);
    EXPECT_NEAR(transfer, invoice["transfer"].get<double>(), 1e-9);
    // All nodes are fixed, and the work is as expected: the same as hours of nodes, and close to what was foreseen.
    EXPECT_NEAR(nodes, run["dollars"]["nodeHours"].get<double>(), 1e-3);
    EXPECT_NEAR(transfer, run["dollars"]["transfer"].get<double>() + run["dollars"]["shuffle"].get<double>(), 1e-9);
    EXPECT_NEAR(invoice["predicted"].get<double>(), invoice["total"].get<double>(),
                0.03 * invoice["total"].get<double>());
  }
}

TEST(Simulate, ThreadsDoNotChangeResults) {
  const std::vector<std::string> words{"quickstart", "--policy", "lips,lips-paper,delay,fifo", "--epochs", "60,120"};
  const auto with_jobs = [&](const char* jobs) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--jobs", jobs});
    json result = without_measured(simulated(all));
    for (json& run : result["epochs"]) run.erase("decidingSeconds");
    return result;
  };
  EXPECT_EQ(with_jobs("1"), with_jobs("6"));
}

TEST(Simulate, SetAndSeedReplaceWhatTheFileSays) {
  const json plain = simulated({"quickstart", "--policy", "lips-paper"});
  const json changed = simulated({"quickstart", "--policy", "lips-paper", "--set", "epoch=30s", "seed=9"});
  EXPECT_EQ(changed["seed"], 9);
  EXPECT_NE(plain["runs"][0]["plans"]["made"], changed["runs"][0]["plans"]["made"]);
}

TEST(Simulate, RunsThroughKubernetesInEachMode) {
  const auto jobs = [&](const char* policy, const char* mode) {
    return simulated(
        {"quickstart", "--policy", policy, "--through", "kubernetes", "--mode", mode})["runs"][0]["jobsFinished"];
  };
  EXPECT_EQ(jobs("lips", "bind"), 5);
  EXPECT_EQ(jobs("lips", "steer"), 5);
  EXPECT_EQ(jobs("most-allocated", "watch"), 5);
}

TEST(Simulate, RefusesAModeThatCannotBe) {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"simulate", "quickstart", "--no-progress"});
    const Said run = lips(words);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(refused({"--mode", "steer"}), HasSubstr("--mode: there is no operator without --through kubernetes"));
  EXPECT_THAT(refused({"--policy", "spread,lips", "--through", "kubernetes", "--mode", "watch"}),
              HasSubstr("found policy 'lips'"));
  EXPECT_THAT(refused({"--policy", "spread", "--epochs", "60", "--through", "kubernetes", "--mode", "watch"}),
              HasSubstr("--epochs: no policy places anything"));
}

TEST(Simulate, EpochsSweepThePaperPolicy) {
  const json result = simulated({"quickstart", "--policy", "fifo", "--epochs", "60,2m,0"});
  ASSERT_EQ(result["runs"].size(), 1U);
  ASSERT_EQ(result["epochs"].size(), 3U);
  EXPECT_EQ(result["epochs"][0]["epochSeconds"], 60);
  EXPECT_EQ(result["epochs"][1]["epochSeconds"], 120);
  EXPECT_EQ(result["epochs"][2]["epochSeconds"], 0);
  for (const json& run : result["epochs"]) {
    EXPECT_EQ(run["policy"], "lips-paper");
    EXPECT_GT(run["dollars"]["total"].get<double>(), 0);
  }
}

TEST(Simulate, TextComparesPoliciesAndNamesTheAssumptions) {
  const Said said = lips({"simulate", "quickstart", "--policy", "lips,delay,fifo", "--baseline", "fifo"});
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, AllOf(StartsWith("quickstart: "), HasSubstr("policy"), HasSubstr("makespan"),
                              HasSubstr("where tasks read"), HasSubstr("invoice"), HasSubstr("dollars by use"),
                              HasSubstr("assumptions"), HasSubstr("transfer across zones: 0.02 USD/GB")));
  const std::size_t fifo = said.out.find("\nfifo ");
  ASSERT_NE(fifo, std::string::npos);
  EXPECT_THAT(said.out.substr(fifo, said.out.find('\n', fifo + 1) - fifo), HasSubstr("base"));
}

// Six tasks one after the other on each core of both nodes start within 50 minutes; on the cheap ones alone it is 110.
TEST(Simulate, HoldsTheLongestWaitOfAJobOfManyTasks) {
  const Folder folder;
  const std::string file = folder.file("waves.yaml");
  const auto missed = [&](const std::string& most) {
    write(file,
          "zones: [a]\n"
          "nodes:\n"
          "- {name: cheap, cores: 4, pricePerHour: 0.1}\n"
          "- {name: dear, cores: 4, pricePerHour: 0.4}\n"
          "jobs:\n"
          "- {name: waves, tasks: 48, cpuPerTask: 600" +
              most + "}\n");
    return simulated({file, "--policy", "lips", "--set", "billing=use", "settings.waitingPrice=0.25"})["runs"][0];
  };
  const json held = missed(", maxWait: 55m"), free = missed("");
  EXPECT_EQ(held["ownTargets"][0]["missed"], 0);
  EXPECT_LT(free["dollars"]["total"].get<double>(), 0.9 * held["dollars"]["total"].get<double>());
}

TEST(Simulate, SaysWhichJobsMissedTheirOwnTargets) {
  const Folder folder;
  const std::string file = folder.file("due.yaml");
  write(file,
        "zones: [a]\n"
        "nodes: [{name: n, cores: 8, pricePerHour: 0.3}]\n"
        "jobs:\n"
        "- {name: big, tasks: 400, cpuPerTask: 200}\n"
        "- {name: late, tasks: 400, cpuPerTask: 200, arrival: 10m, completeBy: 20m, maxWait: 1m}\n");
  EXPECT_THAT(
      lips({"simulate", file, "--policy", "lips"}).out,
      AllOf(HasSubstr("jobs' own targets"), HasSubstr("complete-by"), HasSubstr("max-wait"), HasSubstr("(late)")));
  const json own = simulated({file, "--policy", "lips"})["runs"][0]["ownTargets"];
  ASSERT_EQ(own.size(), 2U);
  for (const json& target : own) {
    EXPECT_EQ(target["jobs"], 1);
    EXPECT_EQ(target["missed"], 1);
    EXPECT_EQ(target["worstJob"], "late");
    EXPECT_GT(target["worstSeconds"].get<double>(), 3600);
  }
  EXPECT_FALSE(simulated({"quickstart", "--policy", "fifo"})["runs"][0].contains("ownTargets"));
}

TEST(Simulate, ReportIsOnePageWithEveryPolicy) {
  const Folder folder;
  const std::string page = folder.file("report.html");
  EXPECT_EQ(lips({"simulate", "quickstart", "--policy", "lips,delay", "--epochs", "60,120", "--report", page}).status,
            0);
  EXPECT_THAT(text_of(page), AllOf(HasSubstr("<html"), HasSubstr("quickstart"), HasSubstr("delay"),
                                   HasSubstr("</html>"), Not(HasSubstr("<script"))));
}

TEST(Simulate, GeneratedScenariosRun) {
  const Folder folder;
  const std::string file = folder.file("day.yaml");
  const std::vector<std::string> words{"generate", "scenario", "--nodes", "8",      "--instance-types",
                                       "3",        "--jobs",   "20",      "--load", "0.3"};
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"--output", file});
  ASSERT_EQ(lips(to_file).status, 0);
  EXPECT_EQ(text_of(file), lips(words).out);
  const json result = simulated({file});
  EXPECT_EQ(result["runs"].size(), 4U);
  for (const json& run : result["runs"]) EXPECT_TRUE(run["finished"].get<bool>()) << run["policy"];
}

TEST(Simulate, GeneratedScenariosHaveJobsOfTheirOwnSize) {
  const Folder folder;
  const std::string file = folder.file("day.yaml");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--mixed-sizes"},
                                               {"--memory"},
                                               {"--gpus", "1"},
                                               {"--mixed-sizes", "--memory", "--gpus", "0.2"}}) {
    std::vector<std::string> words{"generate", "scenario",  "--nodes",  "8",      "--instance-types",
                                   "3",        "--jobs",    "30",       "--load", "0.2",
                                   "--policy", "fifo,lips", "--output", file};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(lips(words).status, 0) << more[0];
    const std::string text = text_of(file);
    EXPECT_EQ(text.find("cores: 0.25") != std::string::npos, more[0] == "--mixed-sizes") << text;
    EXPECT_EQ(text.find("extended: {nvidia.com/gpu: 1}") != std::string::npos, more.size() > 1) << text;
    EXPECT_EQ(text.find("memory: ") != std::string::npos, more[0] == "--memory" || more.size() > 2) << text;
    for (const json& run : simulated({file})["runs"]) EXPECT_TRUE(run["finished"].get<bool>()) << run["policy"];
  }
}

// Blocks grow with the cluster, so that the day has no more tasks than a scenario may have.
TEST(Simulate, ScenariosOfAnySizeAreGeneratedSoThatTheyCanBeReadOrNotAtAll) {
  const Folder folder;
  const std::string file = folder.file("day.yaml");
  EXPECT_EQ(
      lips({"generate", "scenario", "--nodes", "20000", "--jobs", "1000", "--load", "0.5", "--output", file}).status,
      0);
  EXPECT_THAT(text_of(file), HasSubstr("blockSize: 4096Mi"));
  const Said few = lips({"generate", "scenario", "--nodes", "100", "--jobs", "10", "--most-tasks", "1"});
  EXPECT_NE(few.status, 0);
  EXPECT_EQ(few.out, "");
  EXPECT_THAT(few.err, AllOf(HasSubstr("found options whose scenario 'lips simulate' refuses"),
                             HasSubstr("load: found 0.8; allowed: at most ")));
  const Said many = lips({"generate", "scenario", "--nodes", "6", "--jobs", "200000", "--load", "0.001"});
  EXPECT_NE(many.status, 0);
  EXPECT_THAT(many.err, HasSubstr("load: found 0.001; allowed: at least "));
}

TEST(Simulate, CtrlCPrintsWhatIsFinishedAndMarksTheRest) {
  const Folder folder;
  const std::string file = folder.file("long.yaml");
  ASSERT_EQ(lips({"generate", "scenario", "--nodes", "60", "--jobs", "1500", "--output", file}).status, 0);
  const Said said =
      lips_interrupted({"simulate", file, "--policy", "fifo,delay", "--jobs", "1", "--format", "json"}, "1/2 runs");
  EXPECT_EQ(said.status, 130) << said.err;
  const json result = json::parse(said.out);
  ASSERT_GE(result["runs"].size(), 1U);
  EXPECT_TRUE(result["runs"][0]["finished"].get<bool>());
  if (result["runs"].size() == 2) {
    EXPECT_FALSE(result["runs"][1]["finished"].get<bool>());
    EXPECT_TRUE(result["runs"][1]["stopped"].get<bool>());
    EXPECT_THAT(said.err, HasSubstr("lips: delay: interrupted, a partial result"));
  } else {
    EXPECT_EQ(result["notRun"], json::array({"delay"}));
  }
}

TEST(Simulate, ProgressSaysHowLongItWillTakeOnATerminalOnly) {
  const Folder folder;
  const std::string file = folder.file("long.yaml");
  ASSERT_EQ(lips({"generate", "scenario", "--nodes", "60", "--jobs", "1500", "--output", file}).status, 0);
  const Said said = lips_interrupted({"simulate", file, "--policy", "fifo", "--format", "json"}, "/1500 jobs");
  EXPECT_EQ(said.status, 130);
  EXPECT_THAT(said.err, AllOf(HasSubstr("0/1 runs"), HasSubstr("fifo at ")));
  EXPECT_EQ(lips({"simulate", "quickstart", "--policy", "fifo"}).err, "");
}

}  // namespace
}  // namespace lips::cmd_test
