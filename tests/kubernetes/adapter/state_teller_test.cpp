#include "kubernetes/adapter/state_teller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lips::kubernetes {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class Lines : public Log {
 public:
  bool wants(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line = std::string(level == LogLevel::warning ? "warning " : "info ") + std::string(message);
    for (const LogField& field : fields) line += ' ' + std::string(field.key) + '=' + field.value;
    lines.push_back(line);
  }
  std::vector<std::string> lines;
};

class Told : public AdapterObserver {
 public:
  void on_state(const OperatorState& state) override { states.push_back(state); }
  std::vector<OperatorState> states;
};

TEST(StateTeller, WritesOneLineAtEachChangeAndTellsOfNewWordsToo) {
  Lines log;
  Told told;
  StateTeller teller(told, log);
  OperatorFacts facts;
  facts.leads = true, facts.mode = PodMode::bind;
  const TimePoint now{};
  for (int i = 0; i < 3; ++i) teller.review(facts, now);
  EXPECT_THAT(log.lines, SizeIs(1));
  EXPECT_THAT(log.lines.back(), HasSubstr("info state state=decides why="));
  EXPECT_THAT(told.states, SizeIs(1));
  facts.degraded = {{"datasets.lips.dev", "403", now}};
  teller.review(facts, now);
  EXPECT_THAT(log.lines, SizeIs(2));
  EXPECT_THAT(log.lines.back(),
              AllOf(HasSubstr("warning state state=decides"), HasSubstr("degraded=datasets.lips.dev: 403")));
  facts.degraded[0].why = "403 again";
  teller.review(facts, now);
  EXPECT_THAT(log.lines, SizeIs(2));
  EXPECT_THAT(told.states, SizeIs(3));
  facts.degraded.clear();
  teller.review(facts, now);
  EXPECT_THAT(log.lines, SizeIs(3));
}

}  // namespace
}  // namespace lips::kubernetes
