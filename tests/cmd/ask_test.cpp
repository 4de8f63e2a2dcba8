// The commands that ask about a running cluster, on files and on a simulated operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/cluster_state.h"
#include "records/snapshot_file.h"
#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Ask : public testing::Test {
 protected:
  Ask() : snapshot_(folder_.file("cluster.json.gz")) {
    const Said said = lips({"generate", "snapshot", "--nodes", "12", "--tasks", "200", "--jobs", "12", "--busy", "0.95",
                            "--output", snapshot_});
    EXPECT_EQ(said.status, 0) << said.err;
  }
  Said ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--from", snapshot_});
    return lips(words);
  }
  json ask_json(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "json"});
    const Said said = ask(words);
    EXPECT_EQ(said.status, 0) << said.err;
    return json::parse(said.out);
  }

  Folder folder_;
  std::string snapshot_;
};

TEST_F(Ask, SaysWhyAJobWaitsAndWhatWouldStartIt) {
  const Said said = ask({"why", "job-0000003"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("job-0000003/0 waits because"), HasSubstr("waiting tasks ahead of it"),
                              HasSubstr("if nothing else arrives"), HasSubstr("Each of these would start it"),
                              HasSubstr("[administrator]")));
  const json answer = ask_json({"why", "job-0000003"});
  for (const char* field :
       {"pod", "standing", "sentence", "place", "cheapestElsewhere", "secondsLeft", "ahead", "waiting", "deadline",
        "lastStart", "startsInSeconds", "firstRoom", "waitingPrice", "waitingDollarsPerHour", "mismatches", "remedies"})
    EXPECT_TRUE(answer.contains(field)) << field;
  double before = 0;
  EXPECT_FALSE(answer["remedies"].empty());
  for (const json& remedy : answer["remedies"]) {
    for (const char* field : {"kind", "for", "action", "detail", "amount", "node", "dollars", "bill", "otherTasks"})
      EXPECT_TRUE(remedy.contains(field)) << field;
    EXPECT_GE(remedy["dollars"].get<double>(), before) << "cheapest first";
    before = remedy["dollars"].get<double>();
  }
}

TEST_F(Ask, SaysThatAJobCannotBeDoneInTime) {
  ASSERT_EQ(lips({"generate", "snapshot", "--nodes", "12", "--tasks", "200", "--jobs", "12", "--busy", "0.95",
                  "--output", snapshot_ = folder_.file("due.json")})
                .status,
            0);
  json cluster = json::parse(text_of(snapshot_));
  const json& names = cluster["jobs"]["name"];
  const auto job = std::find(names.begin(), names.end(), "job-0000003") - names.begin();
  const auto due_in = [&](std::int64_t microseconds) {
    const std::int64_t when = cluster["now"].get<std::int64_t>() + microseconds;
    cluster["jobs"]["due"] = json::array({json::array({job, 1, when, 0, 0})});
    write(snapshot_, cluster.dump());
    return ask({"why", "job-0000003"}).out;
  };
  EXPECT_THAT(due_in(1'000'000), HasSubstr("its job is due in 1 s, and its work takes"));
  EXPECT_THAT(due_in(1'000'000), HasSubstr("at full speed: it cannot be done in time"));
  EXPECT_THAT(due_in(-3'600'000'000), HasSubstr("its job was due 1 h ago"));
  EXPECT_THAT(due_in(1'000'000'000'000),
              AllOf(HasSubstr("its job is due in"), testing::Not(HasSubstr("cannot be done in time"))));
  EXPECT_EQ(ask_json({"why", "job-0000003"})["deadline"]["canBeMet"], true);
  EXPECT_EQ(ask_json({"why", "job-0000003"})["lastStart"], nullptr);
  const auto start_within = [&](std::int64_t microseconds) {
    cluster["jobs"]["due"] =
        json::array({json::array({job, 0, 0, 1, cluster["now"].get<std::int64_t>() + microseconds})});
    write(snapshot_, cluster.dump());
    return ask({"why", "job-0000003"}).out;
  };
  EXPECT_THAT(start_within(1'000), HasSubstr("its job's tasks have to start within 1 ms, and the last can in "));
  EXPECT_THAT(start_within(1'000), HasSubstr("at the earliest: that is too late"));
  EXPECT_THAT(start_within(-3'600'000'000), HasSubstr("its job's tasks had to start 1 h ago"));
  EXPECT_THAT(start_within(1'000'000'000'000), testing::Not(HasSubstr("that is too late")));
  for (json& node : cluster["nodes"]["schedulable"]) node = 0;
  EXPECT_THAT(start_within(1'000'000), HasSubstr("have to start within 1 s, and no node takes them"));
}

// A driver of three workers that have not come, and another job that waits.
TEST_F(Ask, ListsTheRoomThatIsHeldForWorkersToCome) {
  EXPECT_THAT(ask({"holds"}).out, HasSubstr("nothing is held for anybody"));
  ClusterSnapshot start;
  start.zones.push_back({"zone-0"}), start.pools.push_back(Pool{}), start.profiles.push_back({});
  start.pools[PoolId(0)].name = "pool-0";
  Node node;
  node.name = "node-0", node.zone = ZoneId(0), node.profile = ProfileId(0);
  node.capacity = {Cores(6), Mebibytes(65'536), 100}, node.cpu_price = UsdPerCpuSecond(1e-5);
  start.nodes.push_back(node);
  ClusterState state(start);
  const auto add = [&](const char* name, std::uint32_t tasks, auto describe) {
    JobArrived arrived;
    arrived.job.name = name, arrived.job.pool = PoolId(0), arrived.job.map_tasks = tasks;
    arrived.job.request = {Cores(1), Mebibytes(1024), 1};
    describe(arrived.job);
    arrived.tasks.assign(tasks, Task{});
    for (Task& task : arrived.tasks) task.cpu = CpuSeconds(3600);
    state.apply(arrived);
  };
  add("team-a/etl-driver", 1, [](Job& driver) {
    driver.coordinates = driver.whole.peers = true;
    driver.whole.id = WholeJobId(1), driver.whole.expected = 4;
    driver.whole.each = {Cores(1), Mebibytes(1024), 1};
  });
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  state.apply(TaskStarted{TaskId(0), NodeId(0)});
  add("others", 5, [](Job&) {});
  state.advance(TimePoint(seconds(30)));
  ASSERT_TRUE(save_snapshot(snapshot_, state.snapshot(), uniform_costs(1, UsdPerMebibyte(0))));
  const json holds = ask_json({"holds"});
  ASSERT_EQ(holds.size(), 1u);
  EXPECT_EQ(holds[0], json({{"reason", "workers-to-come"},
                            {"namespace", "team-a"},
                            {"job", "team-a/etl-driver"},
                            {"pool", "pool-0"},
                            {"zone", "zone-0"},
                            {"store", json()},
                            {"tasks", 3},
                            {"cores", 3.0},
                            {"mebibytes", 3072.0},
                            {"cpuSeconds", 0.0},
                            {"secondsSince", 30.0},
                            {"secondsUntil", 90.0},
                            {"spare", false},
                            {"waiting", {"others"}}}));
  const json why = ask_json({"why", "others/4"});
  EXPECT_EQ(why["heldBack"]["rooms"][0]["job"], "team-a/etl-driver");
  EXPECT_THAT(ask({"why", "others/4"}).out,
              HasSubstr("3 cores in zone-0 for team-a/etl-driver, workers-to-come; otherwise"));
  EXPECT_THAT(ask({"holds"}).out, AllOf(HasSubstr("held for"), HasSubstr("namespace"), HasSubstr("workers-to-come"),
                                        HasSubstr("team-a/etl-driver")));
}

// A marked task keeps two of four cores of its node empty, a run is expected in a quarter of an hour, and a block has
// an extra copy that was read a minute ago.
TEST_F(Ask, ListsNodesThatMarksKeepRoomOfExpectedRunsAndCopies) {
  ClusterSnapshot start;
  start.zones.push_back({"zone-0"}), start.profiles.push_back({});
  for (const char* name : {"pool-0", "team-b"}) start.pools.push_back({name, 1, {}, {}, {}});
  for (const char* name : {"node-0", "node-1"}) {
    Node node;
    node.name = name, node.zone = ZoneId(0), node.profile = ProfileId(0), node.fleet = FleetKind::elastic;
    node.capacity = {Cores(4), Mebibytes(65'536), 100}, node.cpu_price = UsdPerCpuSecond(1e-5);
    const NodeId id = start.nodes.push_back(node);
    DataStore store;
    store.name = name, store.zone = ZoneId(0), store.node = id;
    start.stores.push_back(store);
  }
  start.data_sets.push_back({"team-b/events", BlockId(0), 1, {}, {}, PoolId(1)});
  start.blocks.push_back({DataSetId(0), Mebibytes(64), {}, {{StoreId(0), false, {}}}});
  ClusterState state(start);
  state.advance(TimePoint(seconds(600)));
  state.apply(ReplicaAdded{BlockId(0), {StoreId(1), true, TimePoint(seconds(540))}});
  JobArrived arrived;
  arrived.job.name = "team-a/etl", arrived.job.pool = PoolId(0), arrived.job.map_tasks = 2;
  arrived.job.request = {Cores(2), Mebibytes(1024), 1};
  arrived.tasks.assign(2, Task{});
  for (Task& task : arrived.tasks) task.cpu = CpuSeconds(3600);
  state.apply(arrived);
  state.apply(TaskFound{TaskId(0), NodeId(0), TimePoint(seconds(600))});
  state.apply(TasksMarked{{{TaskId(0), TimePoint(seconds(4200))}}});
  state.apply(WorkExpected{{{"team-b/nightly", TimePoint(seconds(1500)), 1, CpuSeconds(7200), {}, 1, {}, PoolId(1)}}});
  ASSERT_TRUE(save_snapshot(snapshot_, state.snapshot(), uniform_costs(1, UsdPerMebibyte(0))));
  std::map<std::string, json> of;
  for (const json& hold : ask_json({"holds"})) of[hold["reason"]] = hold;
  ASSERT_TRUE(of.contains("marked-tasks") && of.contains("expected-run") && of.contains("extra-copies"));
  const auto said = [&](const char* reason, std::initializer_list<const char*> fields) {
    json values = json::array();
    for (const char* field : fields) values.push_back(of[reason][field]);
    return values;
  };
  EXPECT_EQ(said("marked-tasks", {"namespace", "job", "pool", "zone", "tasks", "cores", "secondsUntil"}),
            json({"team-a", "team-a/etl", "pool-0", "zone-0", 1, 2.0, 3600.0}));
  EXPECT_EQ(said("expected-run", {"namespace", "job", "pool", "zone", "cpuSeconds", "secondsUntil"}),
            json({"team-b", "team-b/nightly", "team-b", "zone-0", 7200.0, 2700.0}));
  EXPECT_EQ(said("extra-copies", {"namespace", "job", "pool", "store", "tasks", "mebibytes", "secondsUntil"}),
            json({"team-b", "team-b/events", "team-b", "node-1", 1, 64.0, 7140.0}));
  EXPECT_THAT(ask({"holds"}).out, AllOf(HasSubstr("marked-tasks"), HasSubstr("expected-run"),
                                        HasSubstr("zone-0/node-1"), HasSubstr("team-b/nightly")));
}

TEST_F(Ask, ListsWhatIsExpectedAndNamesTheJobsForWhichATaskMakesRoom) {
  const Said nothing = ask({"expected"});
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_THAT(nothing.out, HasSubstr("nobody has announced work"));
  const Said made = lips({"generate", "snapshot", "--nodes", "12", "--tasks", "200", "--jobs", "12", "--busy", "0.95",
                          "--expected", "40", "--output", snapshot_});
  ASSERT_EQ(made.status, 0) << made.err;
  const json jobs = ask_json({"expected"});
  ASSERT_FALSE(jobs.empty());
  double room = 0, last = -1e9;
  for (const json& job : jobs) {
    for (const char* field : {"job", "expectedInSeconds", "chance", "cpuSeconds", "dataSets", "roomCpuSecondsByZone"})
      EXPECT_TRUE(job.contains(field)) << field;
    EXPECT_GE(job["expectedInSeconds"].get<double>(), last) << "in the order in which they come";
    last = job["expectedInSeconds"].get<double>();
    for (const json& zone : job["roomCpuSecondsByZone"]) room += zone.get<double>();
  }
  EXPECT_GT(room, 0);
  const Said table = ask({"expected"});
  EXPECT_THAT(table.out,
              AllOf(HasSubstr("room left in"), HasSubstr(jobs[0]["job"].get<std::string>()), HasSubstr("zone-")));
  const Said plan = lips({"plan", snapshot_, "--buckets", "--format", "json"});
  EXPECT_NEAR(json::parse(plan.out)["expectedRoom"].get<double>(), room, 1e-6 * room);
  int makes_room = 0;
  for (const char* name : {"job-0000004", "job-0000006", "job-0000008"}) {
    const std::vector<std::string> why{"why", name, "--set", "billing=use", "waitingPrice=0.5", "expressLimit=0"};
    const json answer = ask_json(why);
    if (!answer.contains("makesRoom") || answer["makesRoom"].is_null()) continue;
    ++makes_room;
    const std::string named = answer["makesRoom"]["jobs"][0]["job"];
    EXPECT_THAT(ask(why).out, AllOf(HasSubstr("  room "), HasSubstr(named), HasSubstr("; otherwise it would")));
  }
  EXPECT_GT(makes_room, 0);
}

TEST_F(Ask, TheNodesThatWhyNamesStartThePodInWhatIf) {
  const json answer = ask_json({"why", "job-0000003"});
  const json* nodes = nullptr;
  for (const json& remedy : answer["remedies"])
    if (!nodes && remedy["kind"] == "more-nodes") nodes = &remedy;
  ASSERT_NE(nodes, nullptr);
  const std::string count = std::to_string((*nodes)["amount"].get<int>());
  const json then = ask_json({"what-if", "--nodes", count, "--like", (*nodes)["like"]["node"].get<std::string>()});
  EXPECT_EQ(then["after"]["starting"].get<int>(),
            then["before"]["starting"].get<int>() + 1 + (*nodes)["otherTasks"].get<int>());
}

TEST_F(Ask, ARunningTaskHasAPlaceAndTheNextBestOne) {
  const json answer = ask_json({"why", "background-3"});
  EXPECT_EQ(answer["standing"], "runs");
  EXPECT_GT(answer["place"]["dollars"]["total"].get<double>(), 0);
  EXPECT_NE(answer["cheapestElsewhere"]["node"], answer["place"]["node"]);
  EXPECT_THAT(ask({"why", "background-3"}).out, AllOf(HasSubstr("runs on"), HasSubstr("next best")));
}

TEST_F(Ask, ComparesChangesAndANewJob) {
  const std::string job = folder_.file("job.yaml");
  write(job, "name: nightly\npool: pool-1\ntasks: 40\ncpu: 1\nmemory: 512Mi\ncpuSeconds: 100\n");
  const json then = ask_json({"what-if", "--job", job});
  EXPECT_EQ(then["after"]["pending"].get<int>(), then["before"]["pending"].get<int>() + 40);
  const json closed = ask_json({"what-if", "--without-zone", "zone-1"});
  EXPECT_LE(closed["after"]["starting"].get<int>(), closed["before"]["starting"].get<int>());
  const json cheaper = ask_json({"what-if", "--price-factor", "m5.large=0", "--waiting-price", "8"});
  EXPECT_EQ(cheaper["before"], closed["before"]);
  EXPECT_THAT(ask({"what-if", "--without-zone", "zone-1"}).out,
              AllOf(HasSubstr("tasks that start at once"), HasSubstr("mean wait")));
}

TEST_F(Ask, NamesWhatIsWrong) {
  const std::string job = folder_.file("job.yaml");
  write(job, "name: nightly\npool: moon\ncpus: 1\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"why"}, "expected POD"},
      {{"why", "job-000003"}, "there is no pod or job 'job-000003' among those that the operator plans; did you mean"},
      {{"why", "job-0000003/9999"}, "there is no pod or job"},
      {{"what-if"}, "expected a change"},
      {{"what-if", "--nodes", "3"}, "--nodes: expected --type or --like"},
      {{"what-if", "--type", "z9"}, "--type: expected an instance type of the cluster, found 'z9'"},
      {{"what-if", "--like", "z9"}, "--like: expected a node of the cluster, found 'z9'"},
      {{"what-if", "--without-zone", "z"}, "--without-zone: expected a zone of the cluster, found 'z'"},
      {{"what-if", "--waiting-price", "-1"}, "--waiting-price: expected a number of at least 0, found '-1'"},
      {{"what-if", "--price-factor", "m5.large=much"}, "--price-factor: expected"},
      {{"what-if", "--job", job}, "job.yaml:2"},
      {{"why", "job-0000003", "--set", "waitingPric=2"}, "did you mean 'waitingPrice'?"},
      {{"why", "job-0000003", "--url", "http://127.0.0.1:1"}, "--from, --url and --service: expected one of them"},
      {{"plans"}, "expected the state of a running operator"},
      {{"report"}, "expected the state of a running operator"},
      {{"ledger"}, "expected the state of a running operator"},
      {{"targets"}, "expected the state of a running operator"},
      {{"applications"}, "expected the state of a running operator"}};
  for (const auto& [words, wanted] : all) {
    const Said said = ask(words);
    EXPECT_EQ(said.status, 2) << words.front();
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr(wanted));
  }
  EXPECT_EQ(lips({"why", "pod", "--from", "/no/such/file"}).status, 2);
  EXPECT_EQ(lips({"why", "pod", "--url", "ftp://x"}).status, 2);
  const Said silent = lips_within(60, {"why", "pod", "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(silent.status, 1) << "nobody listens there";
}

// Credentials that come from a program, as on most clouds. A script plays kubectl; the story `why` has the real one.
TEST_F(Ask, LetsKubectlAskForUsersWhoseCredentialsAProgramGives) {
  const std::string config = folder_.file("config"), calls = folder_.file("calls"), kubectl = folder_.file("kubectl");
  write(config,
        "{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: "
        "{server: 'https://127.0.0.1:1'}}], users: [{name: u, user: {exec: {command: login}}}]}");
  write(kubectl,
        "#!/bin/sh\necho \"$*\" >> " + calls + "\ncase \"$*\" in\n*lips:http/proxy/state*) cat " + snapshot_ +
            " ;;\n'config view'*) printf batch ;;\n*) echo 'Error from server (Forbidden): no' >&2; exit 1 ;;\nesac\n");
  std::filesystem::permissions(kubectl, std::filesystem::perms::owner_all);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (std::filesystem::path(kubectl).parent_path().string() + ":" + before).c_str(), 1);
  const Said said = lips({"why", "job-0000003", "--kubeconfig", config});
  write(kubectl, "#!/bin/sh\necho 'Error from server (Forbidden): no' >&2\nexit 1\n");
  const Said forbidden = lips({"data", "--kubeconfig", config});
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("job-0000003/0 waits because"));
  EXPECT_THAT(text_of(calls),
              HasSubstr("get --raw /api/v1/namespaces/lips-system/services/lips:http/proxy/state --kubeconfig " +
                        config + "\n"));
  EXPECT_EQ(forbidden.status, 1);
  EXPECT_THAT(forbidden.err,
              AllOf(HasSubstr("you lack a right: to get services/proxy 'lips:http'"), HasSubstr("Forbidden")));
}

// An operator with server.authorize, as far as it wants a token. The story `chart` has the real one.
TEST_F(Ask, ShowsAnAddressTheTokenOfAFile) {
  httplib::Server server;
  server.Get("/state", [&](const httplib::Request& request, httplib::Response& response) {
    if (request.get_header_value("Authorization") == "Bearer secret") {
      response.set_content(text_of(snapshot_), "application/octet-stream");
    } else {
      response.status = 401;
      response.set_content("the operator wants a bearer token (server.authorize)\n", "text/plain");
    }
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::jthread thread([&] { server.listen_after_bind(); });
  const std::string url = "http://127.0.0.1:" + std::to_string(port), token = folder_.file("token");
  write(token, "secret\n");
  const Said with = lips({"data", "--url", url, "--token-file", token}), without = lips({"data", "--url", url});
  server.stop();
  EXPECT_EQ(with.status, 0) << with.err;
  EXPECT_EQ(with.out, lips({"data", "--from", snapshot_}).out);
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(without.err, HasSubstr("checks tokens (server.authorize), and there is none: --token-file"));
  EXPECT_THAT(lips({"data", "--from", snapshot_, "--token-file", token}).err, HasSubstr("expected with --url only"));
}

// A Service leads each connection to some replica, and one that stands by refuses.
TEST_F(Ask, TriesEachTimeOnANewConnection) {
  httplib::Server server;
  std::mutex mutex;
  std::vector<int> ports;
  server.Get("/state", [&](const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    ports.push_back(request.remote_port);
    if (ports.size() < 4)
      response.status = 503;
    else
      response.set_content(text_of(snapshot_), "application/octet-stream");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::jthread thread([&] { server.listen_after_bind(); });
  const Said said = lips({"data", "--url", "http://127.0.0.1:" + std::to_string(port)});
  server.stop();
  thread.join();
  EXPECT_EQ(said.status, 0) << said.err;
  ASSERT_EQ(ports.size(), 4u);
  std::sort(ports.begin(), ports.end());
  EXPECT_EQ(std::unique(ports.begin(), ports.end()), ports.end());
}

TEST(AskOperator, EveryCommandAnswersFromWhatARunningOneServes) {
  const Folder folder;
  const std::string file = folder.file("state.json.gz");
  std::vector<Said> said;
  const Said ended = lips_interrupted({"operator", "--cluster", "simulated:quickstart", "--speed", "0.01", "--set",
                                       "server.listen=127.0.0.1:0", "policy.settings.meanWait=10m"},
                                      "msg=\"starting\"", [&](const std::string& shown) {
                                        const std::string url = url_of(shown);
                                        for (const char* command : {"plans", "data", "moves", "ledger", "report",
                                                                    "targets", "applications", "expected", "holds"})
                                          said.push_back(lips({command, "--format", "json", "--url", url}));
                                        said.push_back(lips({"why", "errors-in-logs", "--url", url}));
                                        httplib::Client client("127.0.0.1", port_of(shown));
                                        const auto state = client.Get("/state");
                                        ASSERT_TRUE(state);
                                        EXPECT_EQ(state->get_header_value("Content-Type"), "application/gzip");
                                        write(file, state->body);
                                      });
  EXPECT_EQ(ended.status, 0);
  ASSERT_EQ(said.size(), 10u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(said[i].status, 0) << said[i].err;
  const json plans = json::parse(said[0].out);
  ASSERT_FALSE(plans.empty());
  EXPECT_EQ(plans[0]["policy"], "lips");
  EXPECT_EQ(json::parse(said[1].out)[0]["dataSet"], "logs");
  EXPECT_TRUE(json::parse(said[4].out).contains("twin"));
  const json targets = json::parse(said[5].out);
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0]["target"], "mean-wait");
  EXPECT_EQ(targets[0]["wanted"], 600);
  EXPECT_TRUE(targets[0]["pool"].is_null());
  EXPECT_EQ(json::parse(said[6].out), json::array()) << "nor drivers that could be asked";
  EXPECT_EQ(json::parse(said[7].out), json::array()) << "nothing is announced";
  EXPECT_EQ(said[8].status, 0) << said[8].err;
  const Said from_file = lips({"data", "--format", "json", "--from", file});
  EXPECT_EQ(from_file.out, said[1].out);
  const Said replayed = lips({"replay", file});
  EXPECT_EQ(replayed.status, 2);
  EXPECT_THAT(replayed.err, HasSubstr("found the state of a running operator"));
}

TEST(AskOperator, TargetsNameTheJobsThatAreAtRisk) {
  const Folder folder;
  write(folder.file("due.yaml"),
        "zones: [a]\nnodes: [{name: n, count: 2, cores: 2, pricePerHour: 0.1}]\n"
        "jobs: [{name: late, tasks: 100, cpuPerTask: 3600, completeBy: 1h}]\n");
  json targets;
  std::string table;
  lips_interrupted({"operator", "--cluster", "simulated:" + folder.file("due.yaml"), "--speed", "1", "--set",
                    "server.listen=127.0.0.1:0"},
                   "msg=\"starting\"", [&](const std::string& shown) {
                     const std::string url = url_of(shown);
                     EXPECT_TRUE(until([&] { return !(targets = lips_json({"targets", "--url", url})).empty(); }));
                     table = lips({"targets", "--url", url}).out;
                   });
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0]["pool"], "default");
  EXPECT_EQ(targets[0]["job"], "late");
  EXPECT_EQ(targets[0]["target"], "complete-by");
  EXPECT_EQ(targets[0]["state"], "cannot");
  EXPECT_LE(targets[0]["wanted"], 3600);
  EXPECT_GE(targets[0]["forecast"], 96 * 900) << "on four cores, of which each may have a task already";
  EXPECT_THAT(table, HasSubstr("late  complete-by"));
}

TEST(AskOperator, TheLedgerSaysOfEachDayPoolAndJobWhatWasPredictedCountedAndSpent) {
  const Folder folder;
  const std::string file = folder.file("state.json.gz");
  json jobs;
  const auto finished = [](const json& rows) {
    std::uint64_t tasks = 0;
    for (const json& row : rows) tasks += row["finished"].get<std::uint64_t>();
    return tasks;
  };
  lips_interrupted(
      {"operator", "--cluster", "simulated:quickstart", "--speed", "60", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"", [&](const std::string& shown) {
        const std::string url = url_of(shown);
        EXPECT_TRUE(until([&] {
          jobs = lips_json({"ledger", "--url", url});
          return finished(jobs) > 0;
        }));
        httplib::Client client("127.0.0.1", port_of(shown));
        const auto state = client.Get("/state");
        ASSERT_TRUE(state);
        write(file, state->body);
        jobs = json::parse(lips({"ledger", "--format", "json", "--from", file}).out);
      });
  ASSERT_GT(finished(jobs), 0u);
  json all = json::parse(lips({"ledger", "--by", "day", "--format", "json", "--from", file}).out);
  const json pools = json::parse(lips({"ledger", "--by", "pool", "--format", "json", "--from", file}).out);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["day"], "day 1") << "a simulated clock begins at no date";
  for (const json& rows : {jobs, pools}) {
    EXPECT_EQ(finished(rows), all[0]["finished"].get<std::uint64_t>());
    for (const char* sum : {"predicted", "counted", "spent"}) {
      double total = 0;
      for (const json& row : rows) total += row[sum]["total"].get<double>();
      EXPECT_NEAR(total, all[0][sum]["total"].get<double>(), 1e-9) << sum;
      EXPECT_GT(total, 0) << sum;
    }
  }
  for (const json& row : jobs) EXPECT_FALSE(row["job"].get<std::string>().empty());
  const Said table = lips({"ledger", "--from", file});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("predicted"), HasSubstr("day 1"), Not(HasSubstr("1970")), HasSubstr("total"),
                               HasSubstr(jobs[0]["job"].get<std::string>())));
  EXPECT_EQ(lips({"ledger", "--from", file, "--by", "zone"}).status, 2);
}

TEST(Completion, ListsEveryCommandAndTheOptionsOfEach) {
  for (const char* shell : {"bash", "zsh"}) {
    const Said script = lips({"completion", shell});
    EXPECT_EQ(script.status, 0);
    EXPECT_THAT(script.out,
                AllOf(HasSubstr("operator status why what-if"), HasSubstr("complete -o default -F _lips lips")));
  }
  EXPECT_EQ(lips({"completion", "fish"}).status, 2);
  const Said options = lips({"why", "some-pod", "--list-options"});
  EXPECT_EQ(options.status, 0);
  EXPECT_THAT(options.out, AllOf(HasSubstr("--format\ttext|json\n"), HasSubstr("--from\tFILE\n")));
}

TEST(AskOperator, ANewQuestionGetsANewState) {
  std::vector<double> ages;  // of the first plan, in simulated seconds
  lips_interrupted(
      {"operator", "--cluster", "simulated:quickstart", "--speed", "100", "--set", "server.listen=127.0.0.1:0"},
      "msg=\"starting\"", [&](const std::string& shown) {
        for (int i = 0; i < 3; ++i) {
          const Said said = lips({"plans", "--format", "json", "--url", url_of(shown)});
          ASSERT_EQ(said.status, 0) << said.err;
          ages.push_back(json::parse(said.out).at(0)["secondsAgo"].get<double>());
        }
      });
  ASSERT_EQ(ages.size(), 3u);
  EXPECT_LT(ages[0], ages[1]);
  EXPECT_LT(ages[1], ages[2]);
}

// The completions that bash offers for these words, sorted.
std::string completed(const Folder& folder, const std::string& words, int at) {
  const std::string script = folder.file("script"), out = folder.file("out");
  write(script, lips({"completion", "bash"}).out + "COMP_WORDS=(" LIPS_PROGRAM " " + words + ")\nCOMP_CWORD=" +
                    std::to_string(at) + "\n_lips\nprintf '%s\\n' \"${COMPREPLY[@]}\" | sort | tr '\\n' ' '\n");
  EXPECT_EQ(std::system(("bash " + script + " > " + out).c_str()), 0);
  return text_of(out);
}

TEST(Completion, OffersCommandsOptionsAndValuesInBash) {
  const Folder folder;
  EXPECT_EQ(completed(folder, "pl", 1), "plan plans ");
  EXPECT_EQ(completed(folder, "tu", 1), "tune ");
  EXPECT_EQ(completed(folder, "tune jobs.csv --mea", 3), "--mean-wait ");
  EXPECT_EQ(completed(folder, "tune jobs.csv --format ''", 4), "json text ");
  EXPECT_EQ(completed(folder, "why pod --fo", 3), "--format ");
  EXPECT_EQ(completed(folder, "why pod --format ''", 4), "json text ");
  EXPECT_EQ(completed(folder, "generate snapshot --sh", 3).substr(0, 5), "--sha");
  EXPECT_EQ(completed(folder, "why pod --from ''", 4), " ") << "files, which bash offers by itself";
}

}  // namespace
}  // namespace lips::cmd_test
