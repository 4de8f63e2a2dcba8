#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> on_quickstart{"operator", "--cluster", "simulated:quickstart",     "--speed",
                                             "0",        "--set",     "server.listen=127.0.0.1:0"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Operator, RunsAScenarioToItsEnd) {
  const Said said = lips(on_quickstart);
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, AllOf(HasSubstr("msg=\"listening\" address=127.0.0.1:"), HasSubstr("scenario finished"),
                              HasSubstr("jobs_finished=5"), HasSubstr("msg=\"stopped\"")));
}

TEST(Operator, SpendsWhatTheSimulationOfTheSamePolicySpends) {
  const Said simulated = lips({"simulate", "quickstart", "--policy", "own-zone-cheapest", "--format", "json"});
  const Said said = lips(with(on_quickstart, {"policy.name=own-zone-cheapest", "log.format=json"}));
  EXPECT_EQ(said.status, 0);
  const std::size_t at = said.err.find("\"dollars_by_use\":");
  ASSERT_NE(at, std::string::npos) << said.err;
  const double dollars = std::stod(said.err.substr(at + 17));
  EXPECT_EQ(nlohmann::json::parse(simulated.out)["runs"][0]["dollars"]["total"].get<double>(), dollars);
}

TEST(Operator, LeavesNodeHoursThatCommitmentsCoverOutOfItsBill) {
  const auto metrics_with = [](const std::string& commitments) {
    std::string metrics;
    const Said said = lips_interrupted(with(on_quickstart, {"commitments.savingsPlan=" + commitments, "--stay"}),
                                       "scenario finished", [&](const std::string& shown) {
                                         httplib::Client client("127.0.0.1", port_of(shown));
                                         if (const auto answer = client.Get("/metrics")) metrics = answer->body;
                                       });
    EXPECT_EQ(said.status, 0);
    return metrics;
  };
  const std::string dollars = "\nlips_node_dollars_total{capacity_type=\"on-demand\",zone=\"us-east-1a\"} ";
  EXPECT_THAT(metrics_with("{perHour: 0}"), AllOf(HasSubstr(dollars), Not(HasSubstr(dollars + "0\n"))));
  EXPECT_THAT(metrics_with("{perHour: 1000}"), HasSubstr(dollars + "0\n"));
}

// Its journal has so many records after the run.
template <class Run>
std::ptrdiff_t records_of(const std::string& setting, Run run) {
  const std::filesystem::path folder = testing::TempDir() + "lips-journal-" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  const Said ran = run(std::vector<std::string>{"journal.directory=" + folder.string(), setting});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string epochs = lips({"replay", folder.string()}).out;
  std::filesystem::remove_all(folder);
  return std::count(epochs.begin(), epochs.end(), '\n');
}

TEST(Operator, ItsJournalHasNoMoreRecordsThanItIsAllowed) {
  const auto run = [](const std::vector<std::string>& settings) { return lips(with(on_quickstart, settings)); };
  const auto all = records_of("journal.size=64Mi", run);
  EXPECT_GT(all, 4);
  EXPECT_LT(records_of("journal.leastInterval=100h", run), all);
}

// On a cluster with objects the journal is written beside the plans.
TEST(Operator, ItsJournalTakesNoMoreThanItsTime) {
  const auto run = [](const std::vector<std::string>& settings) {
    return lips_interrupted(with({"operator", "--cluster", "virtual:quickstart", "--speed", "2000", "--api",
                                  "127.0.0.1:0", "--set", "server.listen=127.0.0.1:0"},
                                 settings),
                            "scenario finished");
  };
  const auto all = records_of("journal.size=64Mi", run);
  EXPECT_GT(all, 4);
  EXPECT_LT(records_of("journal.timeShare=0", run), all);
}

TEST(Operator, ItIsUnhealthyWhenItsLoopStandsStill) {
  const auto health_with = [](const std::string& stalled_after) {
    std::set<int> answers;
    lips_interrupted({"operator", "--cluster", "simulated:quickstart", "--speed", "0.001", "--set",
                      "server.listen=127.0.0.1:0", "server.stalledAfter=" + stalled_after},
                     "msg=\"starting\"", [&](const std::string& shown) {
                       httplib::Client client("127.0.0.1", port_of(shown));
                       for (int asked = 0; asked < 200 && !answers.contains(503); ++asked)
                         if (const auto answer = client.Get("/healthz")) answers.insert(answer->status);
                     });
    return answers;
  };
  EXPECT_THAT(health_with("60s"), testing::ElementsAre(200));
  EXPECT_TRUE(health_with("1ms").contains(503)) << "it waits for its next event for longer";
}

TEST(Operator, AnEmptyAddressServesNothing) {
  std::vector<std::string> words = on_quickstart;
  words.back() = "server.listen=";
  const Said said = lips(words);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.err, AllOf(Not(HasSubstr("listening")), HasSubstr("scenario finished")));
}

TEST(Operator, EndsEveryJobThoughFaultsAreInjected) {
  for (const char* seed : {"1", "2", "3"}) {
    const Said said = lips(with(on_quickstart, {"--faults", seed}));
    EXPECT_EQ(said.status, 0);
    EXPECT_THAT(said.err,
                AllOf(HasSubstr("jobs_finished=5"), HasSubstr("faults were injected"), Not(HasSubstr("faults=0"))));
  }
  const Said refused = lips({"operator", "--faults", "1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--faults: "));
}

TEST(Operator, StopsAtOnceWhenAsked) {
  const Said said = lips_interrupted(
      {"operator", "--cluster", "simulated:quickstart", "--speed", "0.001", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.err, HasSubstr("scenario stopped"));
}

TEST(Operator, TellsAWriterWhereToPutNewData) {
  std::vector<std::pair<int, nlohmann::json>> answers;
  const Said said =
      lips_interrupted(with(on_quickstart, {"--stay"}), "scenario finished", [&](const std::string& shown) {
        httplib::Client client("127.0.0.1", port_of(shown));
        for (const char* query : {"node=plain-0&cpuSecondsPerMebibyte=1.4&readers=3", "node=plain-0",
                                  "node=plain-0&cpuSecondsPerMebibyte=much", "node=moon&cpuSecondsPerMebibyte=1",
                                  "node=plain-0&cpuSecondsPerMebibyte=1&reader=3"}) {
          const auto answer = client.Get(std::string("/new-data?") + query);
          ASSERT_TRUE(answer) << query;
          answers.emplace_back(answer->status, nlohmann::json::parse(answer->body));
        }
      });
  EXPECT_EQ(said.status, 0);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0].first, 200);
  EXPECT_EQ(answers[0].second["zone"], "us-east-1b") << "where the cheap nodes are";
  EXPECT_FALSE(answers[0].second["staysInZone"]);
  EXPECT_GT(answers[0].second["savedDollarsPerMebibyte"], 0);
  for (const std::size_t wrong : {1u, 2u, 4u}) EXPECT_EQ(answers[wrong].first, 400) << answers[wrong].second;
  EXPECT_EQ(answers[3].first, 404);
}

TEST(Operator, ItsPageShowsTheClusterAndEachJob) {
  std::string page, job, none, policy;
  const Said said = lips_interrupted(
      {"operator", "--cluster", "simulated:quickstart", "--speed", "0.01", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"", [&](const std::string& shown) {
        httplib::Client client("127.0.0.1", port_of(shown));
        client.set_read_timeout(30);
        EXPECT_TRUE(until([&] {
          const auto answer = client.Get("/");
          if (!answer) return false;
          page = answer->body, policy = answer->get_header_value("Content-Security-Policy");
          EXPECT_EQ(answer->get_header_value_count("Content-Security-Policy"), 1u);
          return page.find("starts in") != std::string::npos;
        }));
        job = client.Get("/?job=errors-in-logs")->body;
        none = client.Get("/?job=no-such-job")->body;
      });
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(page, AllOf(HasSubstr("<strong>lips</strong> placed"), HasSubstr("href=\"?job=errors-in-logs\""),
                          HasSubstr("Where jobs run, and why there"), HasSubstr("us-east-1a"), HasSubstr("logs")));
  EXPECT_THAT(job,
              AllOf(HasSubstr("errors-in-logs"), HasSubstr("Tasks that wait or run"), HasSubstr("errors-in-logs/0")));
  EXPECT_THAT(none, HasSubstr("there is no pod or job &#39;no-such-job&#39;"));
  const std::size_t at = page.find("<script nonce=\"") + 15;
  EXPECT_THAT(policy, HasSubstr("script-src 'nonce-" + page.substr(at, page.find('"', at) - at) + "'"));
}

// True if the metrics say what lips twin says of the same journal.
bool says_the_same(const std::string& metrics, const nlohmann::json& twin) {
  return std::all_of(twin["regimes"].begin(), twin["regimes"].end(), [&](const nlohmann::json& regime) {
    const std::string name = regime["ran"].get<bool>() ? "ran" : regime["policy"].get<std::string>();
    const std::size_t at = metrics.find("lips_twin_dollars{regime=\"" + name + "\"} ");
    if (at == std::string::npos) return false;
    const double dollars = regime["invoice"]["total"].get<double>() - regime["invoice"]["storage"].get<double>();
    return std::abs(std::stod(metrics.substr(metrics.find("} ", at) + 2)) - dollars) < 1e-6;
  });
}

// On a busy machine the first comparison is one of a part of the day.
TEST(Operator, SaysWhatOtherSchedulersWouldHaveCost) {
  const Folder folder;
  std::string page, metrics;
  nlohmann::json twin;
  const Said said =
      lips_interrupted({"operator", "--cluster", "simulated:quickstart", "--speed", "0", "--stay", "--set",
                        "server.listen=127.0.0.1:0", "twin.every=1s", "journal.directory=" + folder.file("journal")},
                       "msg=\"scenario finished\"", [&](const std::string& shown) {
                         httplib::Client client("127.0.0.1", port_of(shown));
                         client.set_read_timeout(30);
                         const auto get = [&](const char* path, std::string& into) {
                           if (const auto answer = client.Get(path)) into = answer->body;
                         };
                         twin = lips_json({"twin", folder.file("journal"), "--policy", "spread,most-allocated"});
                         EXPECT_TRUE(until([&] {
                           get("/metrics", metrics);
                           return says_the_same(metrics, twin);
                         })) << metrics
                             << twin;
                         get("/", page);
                       });
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(twin["regimes"].size(), 3u);
  EXPECT_THAT(
      page, AllOf(HasSubstr("would have paid for the same work, mean wait"),
                  HasSubstr("kube-scheduler, most-allocated"), HasSubstr("lips, as it ran"), HasSubstr("Counted: $")));
}

TEST(Operator, SaysWhyItCannotCompareWithOtherSchedulers) {
  const Folder folder;
  const auto page_and_report = [&](const std::string& set) {
    std::pair<std::string, std::string> seen;
    lips_interrupted(
        {"operator", "--cluster", "simulated:quickstart", "--speed", "0.01", "--set", "server.listen=127.0.0.1:0", set},
        "msg=\"starting\"", [&](const std::string& shown) {
          httplib::Client client("127.0.0.1", port_of(shown));
          EXPECT_TRUE(until([&] {  // it leads
            if (const auto answer = client.Get("/")) seen.first = answer->body;
            return seen.first.find("</strong> placed") != std::string::npos;
          }));
          seen.second = lips({"report", "--url", url_of(shown)}).out;
        });
    return seen;
  };
  const auto [page, report] = page_and_report("journal.directory=");
  EXPECT_THAT(page, HasSubstr("No comparison with other schedulers: there is no journal; set journal.directory."));
  EXPECT_THAT(report, HasSubstr("no comparison with other schedulers: there is no journal; set journal.directory\n"));
  const auto [later, reported] = page_and_report("journal.directory=" + folder.file("journal"));
  EXPECT_THAT(later, HasSubstr("No comparison with other schedulers: the first one comes in"));
  EXPECT_THAT(reported, HasSubstr("no comparison with other schedulers: the first one comes in"));
}

// Two nodes hold the four tasks; four more could be bought.
TEST(Operator, SaysOnItsPageWhichNodesAreThereAndWhichMayBeBought) {
  const Folder folder;
  const std::string scenario = folder.file("elastic.yaml");
  write(scenario,
        "name: elastic\nzones: [a]\nnodes:\n"
        "  - {name: n, fleet: elastic, limit: 6, instanceType: c6i.2xlarge, zone: a, capacityTypes: [on-demand]}\n"
        "jobs: [{name: long, tasks: 4, cores: 4, cpuPerTask: 900000}]\n");
  std::string page, metrics;
  const Said said = lips_interrupted(
      {"operator", "--cluster", "simulated:" + scenario, "--speed", "60", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"", [&](const std::string& shown) {
        httplib::Client client("127.0.0.1", port_of(shown));
        client.set_read_timeout(30);
        EXPECT_TRUE(until([&] {
          const auto answer = client.Get("/?still");
          if (answer) page = answer->body;
          return page.find("16 of 16") != std::string::npos;
        }));
        if (const auto answer = client.Get("/metrics")) metrics = answer->body;
      });
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(page, AllOf(HasSubstr("2 of 2 nodes schedulable"), HasSubstr("Nodes that may be bought"),
                          HasSubstr(" paid"), Not(HasSubstr("that can be compared"))));
  EXPECT_THAT(metrics, AllOf(HasSubstr("lips_nodes{schedulable=\"false\",zone=\"a\"} 0\n"),
                             HasSubstr("lips_nodes{schedulable=\"true\",zone=\"a\"} 2\n")));
}

TEST(Operator, ItsOwnInvoiceIsTheSimulations) {
  const Folder folder;
  const std::string scenario = folder.file("elastic.yaml");
  write(scenario,
        "name: elastic\nzones: [a]\nnodes:\n"
        "  - {name: n, fleet: elastic, limit: 10, instanceType: c6i.2xlarge, zone: a, capacityTypes: [on-demand]}\n"
        "jobs: [{name: a, tasks: 10, cores: 2, cpuPerTask: 2400}]\n");
  std::string metrics;
  const Said said = lips_interrupted({"operator", "--cluster", "simulated:" + scenario, "--speed", "0", "--set",
                                      "server.listen=127.0.0.1:0", "--stay"},
                                     "scenario finished", [&](const std::string& shown) {
                                       httplib::Client client("127.0.0.1", port_of(shown));
                                       if (const auto answer = client.Get("/metrics")) metrics = answer->body;
                                     });
  const std::string series = "lips_node_dollars_total{capacity_type=\"on-demand\",zone=\"a\"} ";
  const std::size_t at = metrics.find(series);
  ASSERT_NE(at, std::string::npos) << said.err;
  const Said simulated = lips({"simulate", scenario, "--policy", "lips", "--format", "json"});
  EXPECT_NEAR(std::stod(metrics.substr(at + series.size())),
              nlohmann::json::parse(simulated.out)["runs"][0]["invoice"]["nodes"].get<double>(), 1e-6);
}

TEST(Operator, CountsJobsThatMissTheirOwnTargetsAndNamesThemInItsLog) {
  const Folder folder;
  const std::string scenario = folder.file("late.yaml");
  write(scenario,
        "name: late\nzones: [a]\nnodes: [{name: n, count: 1, zone: a, cores: 1, pricePerHour: 0.1}]\n"
        "jobs:\n- {name: nightly, tasks: 10, cpuPerTask: 60, completeBy: 5m}\n"
        "- {name: early, tasks: 1, cpuPerTask: 60, completeBy: 24h}\n");
  std::string metrics;
  const Said said = lips_interrupted({"operator", "--cluster", "simulated:" + scenario, "--speed", "0", "--stay",
                                      "--set", "server.listen=127.0.0.1:0"},
                                     "scenario finished", [&](const std::string& shown) {
                                       httplib::Client client("127.0.0.1", port_of(shown));
                                       metrics = client.Get("/metrics")->body;
                                     });
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("msg=\"a job has missed its target\" job=nightly"), Not(HasSubstr("job=early"))));
  EXPECT_THAT(metrics, HasSubstr("lips_job_targets_missed_total{kind=\"complete-by\",pool=\"default\"} 1"));
}

TEST(Operator, RefusesAWrongConfigurationWithStatusTwo) {
  const Folder folder;
  write(folder.file("c.yaml"), "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\nschedulername: x\n");
  const Said said = lips({"operator", "--config", folder.file("c.yaml"), "--cluster", "simulated:quickstart"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("c.yaml:3"), HasSubstr("did you mean 'schedulerName'")));
  EXPECT_EQ(lips({"operator", "--cluster", "swarm"}).status, 2);
  EXPECT_EQ(lips({"operator", "--config", folder.file("none.yaml")}).status, 2);
}

TEST(Operator, TakesInAChangedConfigurationAndSaysWhatNeedsARestart) {
  const Folder folder;
  const std::string head =
      "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\nserver: {listen: ''}\njournal: {directory: " +
      folder.file("journal") + "}\n";
  write(folder.file("c.yaml"), head + "policy: {name: lips}\n");
  const std::jthread change([&] {
    wait_for_file(folder.file("journal"));  // it has read the first one
    write(folder.file("new.yaml"), head + "policy: {name: fifo}\nschedulerName: other\n");
    std::filesystem::rename(folder.file("new.yaml"), folder.file("c.yaml"));
  });
  const Said said = lips_interrupted(
      {"operator", "--config", folder.file("c.yaml"), "--cluster", "simulated:quickstart", "--speed", "0.001"},
      "needs a restart");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.err, HasSubstr("msg=\"configuration changed\" key=policy.name value=fifo"));
}

TEST(Operator, KeepsItsConfigurationWhenTheChangedOneIsWrong) {
  const Folder folder;
  const std::string head =
      "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\nserver: {listen: ''}\njournal: {directory: " +
      folder.file("journal") + "}\n";
  write(folder.file("c.yaml"), head);
  const std::jthread change([&] {
    wait_for_file(folder.file("journal"));
    write(folder.file("new.yaml"), head + "policy: {name: lisp}\n");
    std::filesystem::rename(folder.file("new.yaml"), folder.file("c.yaml"));
  });
  const Said said = lips_interrupted(
      {"operator", "--config", folder.file("c.yaml"), "--cluster", "simulated:quickstart", "--speed", "0.001"},
      "refused the changed configuration");
  EXPECT_THAT(said.err, HasSubstr("c.yaml:5"));
}

TEST(Operator, PrintsTheConfigurationThatIsShipped) {
  const Said said = lips({"operator", "--print-config"});
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.out, text_of(std::string(LIPS_SOURCE_DIR) + "/config/operator/default.yaml"));
}

TEST(Operator, ChecksAConfigurationWithoutStarting) {
  const Folder folder;
  const std::string file = folder.file("c.yaml");
  const auto check = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    write(file, "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\n" + text);
    return lips(with({"operator", "--config", file, "--print-config"}, more));
  };
  for (const char* wrong : {"fleets: {}\n", "moves: x\n", "fleet: {idleTime: m99}\n", "policy: {name: none}\n",
                            "policy: {name: lips, settings: {waitingPrice: -1}}\n", "prices: {file: absent.csv}\n"}) {
    const Said said = check(wrong), started = lips({"operator", "--config", file});
    EXPECT_EQ(said.status, 2) << wrong << said.out;
    EXPECT_EQ(said.err, started.err) << "as a start says it";
    EXPECT_EQ(said.out, "");
  }
  const Said right = check("moves: {attempts: 9}\npolicy: {settings: {waitingPrice: 3}}\n", {"--set", "mode=steer"});
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out,
              AllOf(HasSubstr("\n  attempts: 9\n"), HasSubstr("\nmode: steer\n"), HasSubstr("waitingPrice")));
  write(file, right.out);
  EXPECT_EQ(lips({"operator", "--config", file, "--print-config"}).out, right.out);
}

class Replay : public testing::Test {
 protected:
  Replay() {
    const Said said = lips(with(on_quickstart, {"journal.directory=" + folder_.file("journal")}));
    EXPECT_EQ(said.status, 0) << said.err;
  }
  Folder folder_;
};

TEST_F(Replay, MakesEveryPlanAgain) {
  const Said said = lips({"replay", folder_.file("journal")});
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("the same plan"), HasSubstr("plans are the same"), Not(HasSubstr("DIFFERENT"))));
}

TEST_F(Replay, ShowsOneEpochAndGivesItsSnapshotOut) {
  const Said one = lips({"replay", folder_.file("journal"), "--epoch", "3", "--extract", folder_.file("s.json")});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.out, AllOf(HasSubstr("epoch 3: the same plan"), HasSubstr("lower bound")));
  EXPECT_EQ(lips({"plan", folder_.file("s.json")}).status, 0);
  const Said other = lips({"replay", folder_.file("journal"), "--epoch", "3", "--policy", "fifo"});
  EXPECT_THAT(other.out, HasSubstr("a different policy from the journal's"));
}

TEST_F(Replay, SaysWhereAJournalIsCutOff) {
  const std::string file = folder_.file("journal") + "/journal-0000000001.zst";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  const Said said = lips({"replay", file});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("the record is not whole"), HasSubstr("plans are the same")));
}

TEST_F(Replay, ReadsJournalsOfEarlierVersions) {
  const std::string old = LIPS_SOURCE_DIR "/tests/records/old_journal";
  const Said all = lips({"replay", old}), one = lips({"replay", old + "/epoch-0000000002.json.gz"});
  EXPECT_THAT(all.out, AllOf(HasSubstr("epoch      1  fifo"), HasSubstr("of 3 plans are the same"))) << all.err;
  EXPECT_THAT(one.out, HasSubstr("epoch 2: ")) << one.err;
  const auto plan_of = [](const std::string& out) {  // without the name of the file and the time that it took
    const std::size_t begin = out.find("\nassigned");
    return begin == std::string::npos ? "no plan" : out.substr(begin, out.find("decided in") - begin);
  };
  EXPECT_THAT(plan_of(one.out), HasSubstr("deferred 1588"));
  EXPECT_EQ(plan_of(lips({"replay", old, "--epoch", "2"}).out), plan_of(one.out));
}

TEST_F(Replay, LetsQuestionsBeAskedAboutAnyEpoch) {
  const std::string journal = folder_.file("journal");
  const auto plans = [&](const std::vector<std::string>& more) {
    return lips(with({"what-if", "--waiting-price", "1", "--from"}, more));
  };
  const Said last = plans({journal}), third = plans({journal, "--epoch", "3"});
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(third.status, 0) << third.err;
  EXPECT_NE(last.out, third.out);
  EXPECT_EQ(plans({journal + "/journal-0000000001.zst", "--epoch", "3"}).out, third.out);
  EXPECT_THAT(plans({journal, "--epoch", "100000"}).err, HasSubstr("one of the journal, 1 to"));
  EXPECT_THAT(lips({"what-if", "--waiting-price", "1", "--epoch", "3"}).err, HasSubstr("expected with --from only"));
}

TEST_F(Replay, SaysWhatIsWrong) {
  EXPECT_THAT(lips({"replay", folder_.file("journal"), "--epoch", "100000"}).err,
              HasSubstr("epoch: expected one of the journal, 1 to"));
  EXPECT_EQ(lips({"replay", folder_.file("nothing")}).status, 2);
  EXPECT_EQ(lips({"replay", folder_.file("journal"), "--policy", "fifo"}).status, 2);
}

}  // namespace
}  // namespace lips::cmd_test
