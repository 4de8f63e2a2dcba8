#include "kubernetes/pods/argo_workflow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

Result<Workflow> argo(const std::string& spec, const std::string& status = "{}") {
  ArgoWorkflowDecoder decoder;
  return decoder.decode(
      fmt::format(R"({{"metadata":{{"name":"wf","namespace":"etl","uid":"u"}},"spec":{},"status":{}}})", spec, status));
}

// A DAG or steps, and the templates "work" (one core), "gate" (somebody has to end it) and "other".
std::string with_work(const std::string& entry, const std::string& more = "") {
  return fmt::format(
      R"({{"entrypoint":"main","schedulerName":"lips","podMetadata":{{"annotations":{{"lips.dev/pool":"p","lips.dev/run-time":"60s"}}}},)"
      R"("templates":[{{"name":"main",{}}},{{"name":"work","container":{{"resources":{{"requests":{{"cpu":"1"}}}}}},)"
      R"("metadata":{{"annotations":{{"lips.dev/run-time":"90s","lips.dev/dataset":"{{{{inputs.parameters.set}}}}"}}}}}},)"
      R"({{"name":"gate","suspend":{{}}}},{{"name":"other","resource":{{}}}}{}]}})",
      entry, more);
}

const Step* step_named(const Workflow& workflow, const std::string& name) {
  for (const Step& step : workflow.steps)
    if (step.name == name) return &step;
  return nullptr;
}

// The names of the steps with pods that have to end first, through those without.
std::set<std::string> waits_for(const Workflow& workflow, const std::string& name) {
  std::set<std::string> result;
  std::vector<StepIndex> open;
  const auto look = [&](const Step& step) {
    for (const Step::After& after : step.after) open.push_back(after.step);
  };
  if (const Step* step = step_named(workflow, name)) look(*step);
  while (!open.empty()) {
    const Step& next = workflow.steps[open.back()];
    open.pop_back();
    if (next.name.empty())
      look(next);
    else
      result.insert(next.name);
  }
  return result;
}

std::set<std::string> names_of(const Workflow& workflow) {
  std::set<std::string> result;
  for (const Step& step : workflow.steps)
    if (!step.name.empty()) result.insert(step.name);
  return result;
}

using Names = std::set<std::string>;

TEST(ArgoWorkflowDecoder, ReadsADagWithDependenciesAndExpressions) {
  const Result<Workflow> read = argo(with_work(
      R"("dag":{"tasks":[{"name":"d","template":"work","depends":"b.Succeeded && (c-2 || !a.Failed) && c-2.Skipped && gone"},)"
      R"({"name":"a","template":"work"},{"name":"b","template":"work","dependencies":["a"]},)"
      R"({"name":"c-2","template":"work","dependencies":["a","a"]}]})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kind, Workflow::Kind::argo);
  EXPECT_EQ(names_of(*read), (Names{"wf.a", "wf.b", "wf.c-2", "wf.d"}));
  EXPECT_EQ(waits_for(*read, "wf.a"), Names{});
  EXPECT_EQ(waits_for(*read, "wf.c-2"), (Names{"wf.a"}));
  EXPECT_EQ(waits_for(*read, "wf.d"), (Names{"wf.a", "wf.b", "wf.c-2"}));
  const Step& step = *step_named(*read, "wf.d");
  ASSERT_TRUE(step.spec);
  EXPECT_EQ(step.spec->scheduler, "lips");
  EXPECT_EQ(step.spec->cpu, 1000);
  EXPECT_EQ(step.spec->pod_notes.annotations, (TextMap{{"lips.dev/pool", "p"}, {"lips.dev/run-time", "90s"}}))
      << "what Argo fills in is not known";
}

TEST(ArgoWorkflowDecoder, ReadsLabelsAsAnnotations) {
  const Result<Workflow> read = argo(
      R"({"entrypoint":"w","podMetadata":{"labels":{"lips.dev/pool":"p","lips.dev/job":"j","app":"x"}},"templates":[)"
      R"({"name":"w","metadata":{"labels":{"lips.dev/job":"own","lips.dev/dataset":"{{x}}"}},"container":{}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->steps[StepIndex(0)].spec->pod_notes,
            (PodNotes{{}, {{"lips.dev/job", "own"}, {"lips.dev/pool", "p"}}}));
}

TEST(ArgoWorkflowDecoder, ReadsStepsAndWhatIsInsideThem) {
  const Result<Workflow> read =
      argo(with_work(R"("steps":[[{"name":"a","template":"work"},{"name":"b","template":"inner"}],)"
                     R"([{"name":"c","template":"inner","withItems":[1,2,{"x":3}]}],[{"name":"d","template":"work"}]])",
                     R"(,{"name":"inner","dag":{"tasks":[{"name":"x","template":"work"},)"
                     R"({"name":"y","template":"script","dependencies":["x"],"withSequence":{"count":"4"}}]}},)"
                     R"({"name":"script","schedulerName":"own","script":{"resources":{"requests":{"cpu":"250m"}}}})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(names_of(*read), (Names{"wf[0].a", "wf[0].b.x", "wf[0].b.y", "wf[1].c.x", "wf[1].c.y", "wf[2].d"}));
  EXPECT_EQ(waits_for(*read, "wf[0].b.x"), Names{});
  EXPECT_EQ(waits_for(*read, "wf[1].c.x"), (Names{"wf[0].a", "wf[0].b.x", "wf[0].b.y"}));
  EXPECT_EQ(waits_for(*read, "wf[2].d"), (Names{"wf[0].a", "wf[0].b.x", "wf[0].b.y", "wf[1].c.x", "wf[1].c.y"}));
  EXPECT_EQ(step_named(*read, "wf[1].c.x")->copies, 3);
  EXPECT_EQ(step_named(*read, "wf[1].c.y")->copies, 12);
  EXPECT_EQ(step_named(*read, "wf[1].c.y")->spec->scheduler, "own");
  EXPECT_EQ(step_named(*read, "wf[1].c.y")->spec->cpu, 250);
}

TEST(ArgoWorkflowDecoder, CountsCopiesThatAreWrittenOut) {
  const auto copies = [](const std::string& more) {
    const Result<Workflow> read =
        argo(with_work(fmt::format(R"("steps":[[{{"name":"a","template":"work",{}}}]])", more)));
    return step_named(read.value(), "wf[0].a")->copies;
  };
  EXPECT_EQ(copies(R"("withItems":["a","b"])"), 2);
  EXPECT_EQ(copies(R"("withItems":[])"), 0);
  EXPECT_EQ(copies(R"("withSequence":{"count":"6"})"), 6);
  EXPECT_EQ(copies(R"("withSequence":{"count":6 })"), 6);
  EXPECT_EQ(copies(R"("withSequence":{"count":"-6"})"), 0);
  EXPECT_EQ(copies(R"("withSequence":{"count":"{{inputs.parameters.n}}"})"), 1);
  EXPECT_EQ(copies(R"("withSequence":{"count":{"n":[]},"start":"1"})"), 1);
  EXPECT_EQ(copies(R"("withSequence":{"start":"1","end":"9"})"), 1);
  EXPECT_EQ(copies(R"("withParam":"{{steps.list.outputs.result}}")"), 1);
}

std::string argo_node_of(const std::string& name, const std::string& phase, const std::string& since = "00:00:00") {
  return fmt::format(R"("{0}":{{"name":"{0}","phase":"{1}","startedAt":"2026-01-01T{2}Z","finishedAt":null}})", name,
                     phase, since);
}

std::string argo_status(const std::vector<std::string>& all) {
  return fmt::format(R"({{"phase":"Running","nodes":{{{}}}}})", fmt::join(all, ","));
}

TEST(ArgoWorkflowDecoder, ItsNodesSayHowFarTheStepsAre) {
  const std::string spec = with_work(
      R"("dag":{"tasks":[{"name":"a","template":"work"},{"name":"b","template":"work","withItems":[1,2]},)"
      R"({"name":"c","template":"inner","dependencies":["a"]},{"name":"d","template":"inner","dependencies":["a"]},)"
      R"({"name":"e","template":"work","dependencies":["c","d"]}]})",
      R"(,{"name":"inner","steps":[[{"name":"x","template":"work","withItems":[1,2]}],[{"name":"y","template":"work"}]]})");
  const Result<Workflow> read =
      argo(spec, argo_status({argo_node_of("wf", "Running"), argo_node_of("wf.a", "Succeeded"),
                              argo_node_of("wf.b(0:1)", "Pending"), argo_node_of("wf.b", "Running", "00:00:03"),
                              argo_node_of("wf.c", "Running"), argo_node_of("wf.c[0]", "Running"),
                              argo_node_of("wf.c[0].x(0:1)", "Running", "00:01:01"),
                              argo_node_of("wf.c[0].x(1:2)", "Failed", "00:01:02"), argo_node_of("wf.d", "Skipped")}));
  ASSERT_TRUE(read) << read.error().message;
  const auto state = [&](const std::string& name) { return step_named(*read, name)->state; };
  using enum StepState;
  EXPECT_EQ(state("wf.a"), ended);
  EXPECT_EQ(state("wf.b"), running) << "as its group is";
  EXPECT_EQ(step_named(*read, "wf.b")->since, parse_time("2026-01-01T00:00:03Z").value());
  EXPECT_EQ(state("wf.c[0].x"), running);
  EXPECT_EQ(step_named(*read, "wf.c[0].x")->since, parse_time("2026-01-01T00:01:02Z").value());
  EXPECT_EQ(state("wf.c[1].y"), to_come);
  EXPECT_EQ(state("wf.d"), ended) << "what is inside one that is left out never comes";
  EXPECT_FALSE(step_named(*read, "wf.d[1].y"));
  EXPECT_EQ(state("wf.e"), to_come);
}

TEST(ArgoWorkflowDecoder, AStepOfSeveralItemsHasEndedWithTheLast) {
  const auto state = [](const std::vector<std::string>& of_items) {
    const Result<Workflow> read =
        argo(with_work(R"("steps":[[{"name":"a","template":"work","withItems":[1,2]}]])"), argo_status(of_items));
    return step_named(read.value(), "wf[0].a")->state;
  };
  using enum StepState;
  EXPECT_EQ(state({}), to_come);
  EXPECT_EQ(state({argo_node_of("wf[0].a(0:x(y).z)", "Succeeded")}), running);
  EXPECT_EQ(state({argo_node_of("wf[0].a(0:x)", "Succeeded"), argo_node_of("wf[0].a(1:y)", "Pending")}), waiting);
  EXPECT_EQ(state({argo_node_of("wf[0].a(0:x)", "Error"), argo_node_of("wf[0].a(1:y)", "Omitted")}), ended);
}

TEST(ArgoWorkflowDecoder, TakesTheTemplatesToWhichItRefersFromItsStatus) {
  const Result<Workflow> read = argo(R"({"workflowTemplateRef":{"name":"t"}})",
                                     fmt::format(R"({{"storedWorkflowTemplateSpec":{}}})",
                                                 with_work(R"("dag":{"tasks":[{"name":"a","template":"work"}]})")));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(step_named(*read, "wf.a"));
  EXPECT_EQ(step_named(*read, "wf.a")->spec->scheduler, "lips");
}

TEST(ArgoWorkflowDecoder, OfWhatIsElsewhereOrInsideItselfNothingIsKnown) {
  const Result<Workflow> read = argo(with_work(
      R"("dag":{"tasks":[{"name":"a","templateRef":{"name":"t","template":"x"}},{"name":"b","template":"main","dependencies":["a"]},)"
      R"({"name":"c","template":"other","dependencies":["b"]},{"name":"d","template":"gate","dependencies":["c"]},)"
      R"({"name":"e","template":"work","dependencies":["d"]}]})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(names_of(*read), (Names{"wf.a", "wf.b", "wf.c", "wf.d", "wf.e"}));
  for (const char* name : {"wf.a", "wf.b", "wf.c", "wf.d"}) EXPECT_FALSE(step_named(*read, name)->spec) << name;
  EXPECT_TRUE(step_named(*read, "wf.d")->open_ended);
  EXPECT_FALSE(step_named(*read, "wf.c")->open_ended);
  EXPECT_EQ(waits_for(*read, "wf.e"), (Names{"wf.d"}));
  EXPECT_EQ(names_of(argo(R"({"entrypoint":"gone","templates":[]})").value()), Names{"wf"});
  for (const char* field : {"compressedNodes", "offloadNodeStatusVersion"}) {
    const Result<Workflow> hidden = argo(with_work(R"("steps":[])"), fmt::format(R"({{"{}":"fnv:1"}})", field));
    EXPECT_THAT(hidden->problem, HasSubstr("status.nodes: they are compressed, or in a database"));
    EXPECT_TRUE(hidden->steps.empty());
  }
}

TEST(ArgoWorkflowDecoder, NothingFollowsInOneThatIsSuspendedOrHasEnded) {
  const auto goes_on = [](const Result<Workflow>& read) { return read.value().goes_on(); };
  EXPECT_FALSE(goes_on(argo(R"({"suspend":true})")));
  for (const char* phase : {"Succeeded", "Failed", "Error"})
    EXPECT_FALSE(goes_on(argo("{}", fmt::format(R"({{"phase":"{}"}})", phase)))) << phase;
  for (const char* phase : {"", "Pending", "Running"})
    EXPECT_TRUE(goes_on(argo("{}", fmt::format(R"({{"phase":"{}"}})", phase)))) << phase;
}

TEST(ArgoWorkflowDecoder, ASmallObjectIsNoLargeWorkflow) {
  // 2^40 steps, 20 deep.
  std::string levels;
  for (int level = 0; level < 40; ++level)
    levels += fmt::format(
        R"(,{{"name":"l{0}","dag":{{"tasks":[{{"name":"a","template":"l{1}"}},{{"name":"b","template":"l{1}"}}]}}}})",
        level, level + 1);
  const Result<Workflow> deep = argo(with_work(R"("dag":{"tasks":[{"name":"a","template":"l0"}]})", levels));
  ASSERT_TRUE(deep);
  EXPECT_THAT(deep->problem, HasSubstr("found more than 10000 steps"));
  std::string tasks;  // each of 1,000 tasks waits for all others before it
  std::string before;
  for (int task = 0; task < 1000; ++task) {
    tasks += fmt::format(R"({}{{"name":"t{}","template":"work","dependencies":[{}]}})", task ? "," : "", task, before);
    before += fmt::format(R"({}"t{}")", task ? "," : "", task);
  }
  const Result<Workflow> dense = argo(with_work(fmt::format(R"("dag":{{"tasks":[{}]}})", tasks)));
  EXPECT_THAT(dense->problem, HasSubstr("or 100000 dependencies"));
  EXPECT_TRUE(dense->steps.empty());
}

TEST(ArgoWorkflowDecoder, RefusesWrongTypesByName) {
  for (const std::string& spec :
       {std::string(R"({"templates":{}})"), std::string(R"({"entrypoint":7})"), with_work(R"("dag":[])"),
        with_work(R"("steps":[{"name":"a"}])"), with_work(R"("dag":{"tasks":[{"dependencies":{"a":1}}]})"),
        with_work(R"("dag":{"tasks":[{"withItems":"{{x}}"}]})"),
        with_work(fmt::format(R"("dag":{{"tasks":[{{"name":"{}"}}]}})", std::string(129, 'a'))),
        fmt::format(R"({{"podMetadata":{{"labels":{{"lips.dev/job":"{}"}}}}}})", std::string(5000, 'a')),
        fmt::format(R"({{"podMetadata":{{"annotations":{{"lips.dev/job":"{}"}}}}}})", std::string(5000, 'a'))}) {
    const Result<Workflow> read = argo(spec);
    ASSERT_FALSE(read) << spec.substr(0, 200);
    EXPECT_THAT(read.error().message, HasSubstr("Workflow etl/wf: "));
  }
  EXPECT_FALSE(argo("{}", R"({"nodes":[]})"));
  EXPECT_FALSE(argo("{}", R"({"nodes":{"1":{"name":"wf","startedAt":"soon"}}})"));
}

}  // namespace
}  // namespace lips::kubernetes
