#include "kubernetes/data/move_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/replica_ledger.h"

namespace lips::kubernetes {
namespace {

using enum MoveAction;

// ---- single steps ----

constexpr TimePoint noon = TimePoint(std::chrono::hours(12));
const MoveRules rules;

MoveView ready_view() {
  MoveView view;
  view.has_target = true;
  view.may_start = true;
  view.has_finalizer = true;
  view.wanted = *BlockRanges::parse("0-3");
  view.bytes = 40;
  view.source_held = true;
  return view;
}

DataMoveStatus status_in(MovePhase phase) {
  DataMoveStatus status;
  status.phase = phase;
  status.blocks = *BlockRanges::parse("0-3");
  status.started = noon;
  if (phase != MovePhase::pending) status.attempt = 1;
  return status;
}

TEST(MoveMachine, WritesDownWhatItIsAboutToDoBeforeItDoesIt) {
  MoveView view = ready_view();
  view.has_finalizer = false;
  EXPECT_EQ(next_step({}, view, rules, noon).action, add_finalizer);
  view.has_finalizer = true;
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_FALSE(step.action);
  EXPECT_EQ(step.status.phase, MovePhase::copying);
  EXPECT_EQ(step.status.blocks.text(), "0-3");
  EXPECT_EQ(next_step(step.status, view, rules, noon).action, start_copy);
}

TEST(MoveMachine, SaysWhatAWaitingMoveWaitsFor) {
  MoveView view = ready_view();
  view.may_start = false;
  view.waits_for = "waiting for room";
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_EQ(step.status.phase, MovePhase::pending);
  EXPECT_EQ(step.status.message, "waiting for room");
}

TEST(MoveMachine, FailsOverAMissingStoreOnlyAfterAWhile) {
  MoveView view = ready_view();
  view.problem = "there is no DataStore x";
  DataMoveStatus status = next_step({}, view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::pending);
  status = next_step(status, view, rules, noon + std::chrono::seconds(61)).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(status.message, "there is no DataStore x");
}

TEST(MoveMachine, TriesAgainWithLongerAndLongerPausesAndGivesUp) {
  MoveView view = ready_view();
  view.attempts = 3;
  view.copy = WorkState::failed;
  view.why = "no route";
  DataMoveStatus status = status_in(MovePhase::copying);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.attempt, 2);
  EXPECT_EQ(status.message, "attempt 1 failed: no route");
  EXPECT_EQ(*status.next_try - noon, rules.first_pause);
  view.copy = WorkState::absent;
  EXPECT_FALSE(next_step(status, view, rules, noon).action) << "too early";
  EXPECT_EQ(next_step(status, view, rules, noon + rules.first_pause).action, start_copy);
  view.copy = WorkState::failed;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(*status.next_try - noon, 2 * rules.first_pause);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(status.message, "gave up after 3 attempts: no route");
  EXPECT_FALSE(status.cleaned);
}

TEST(MoveMachine, SaysWhyAPodDoesNotBeginAlsoAfterItsTimeIsOver) {
  MoveView view = ready_view();
  view.copy = WorkState::running;
  view.waiting = "ErrImagePull";
  DataMoveStatus status = next_step(status_in(MovePhase::copying), view, rules, noon).status;
  EXPECT_EQ(status.message, "ErrImagePull");
  view.copy = WorkState::failed;
  view.waiting.clear();
  view.why = "DeadlineExceeded";
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.message, "attempt 1 failed: DeadlineExceeded; before: ErrImagePull");
}

TEST(MoveMachine, StartsThePodThatServesFirstAndDoesNotWaitForItForEver) {
  MoveView view = ready_view();
  view.needs_source = true;
  DataMoveStatus status = status_in(MovePhase::copying);
  status.next_try = noon;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_source);
  view.source = WorkState::starting;
  EXPECT_FALSE(next_step(status, view, rules, noon).action);
  view.source = WorkState::running;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_copy);
  view.source = WorkState::starting;
  view.source_message = "node is not ready";
  status = next_step(status, view, rules, noon + rules.source_patience).status;
  EXPECT_EQ(status.attempt, 2);
  EXPECT_THAT(status.message, testing::HasSubstr("node is not ready"));
}

TEST(MoveMachine, DropsTheSourceOnlyWhenNobodyReadsItAndOthersHold) {
  MoveView view = ready_view();
  view.drop_source = view.target_holds = view.others_hold = true;
  DataMoveStatus status = next_step(status_in(MovePhase::committed), view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::leaving);
  EXPECT_EQ(next_step(status, view, rules, noon).action, mark_leaving);
  view.source_leaving = view.source_marked = view.source_is_read = true;
  const MoveStep waits = next_step(status, view, rules, noon);
  EXPECT_FALSE(waits.action);
  EXPECT_EQ(waits.status.message, "waiting for tasks that read the old replicas");
  view.source_is_read = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, remove_source);
  view.others_hold = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, unmark_leaving);
  view.others_hold = true;
  view.source_held = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::removed);
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_drop);
  view.drop = WorkState::succeeded;
  EXPECT_EQ(next_step(status, view, rules, noon).action, forget_marks);
  view.source_marked = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::deleted);
  EXPECT_TRUE(next_step(status, view, rules, noon).status.finished);
}

TEST(MoveMachine, NeverDropsTheLastReplica) {
  MoveView view = ready_view();
  view.has_target = false;
  view.drop_source = true;
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_EQ(step.status.phase, MovePhase::failed);
  EXPECT_THAT(step.status.message, testing::HasSubstr("last replica"));
}

TEST(MoveMachine, ACancelledMoveFencesAndCleansItsTarget) {
  MoveView view = ready_view();
  view.cancel = true;
  view.copy = WorkState::running;
  view.copies_left = true;
  DataMoveStatus status = next_step(status_in(MovePhase::verifying), view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(next_step(status, view, rules, noon).action, end_copy);
  view.copies_left = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, fence_target);
  view.target_fenced = true;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_clean);
  view.drop = WorkState::succeeded;
  EXPECT_EQ(next_step(status, view, rules, noon).action, forget_marks);
  view.target_fenced = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_TRUE(status.cleaned);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(next_step(status, view, rules, noon).action, remove_finalizer);
}

TEST(MoveMachine, EndsWhenTheLastOtherReplicaDoesNotComeBack) {
  MoveView view = ready_view();
  view.drop_source = view.target_holds = true;
  DataMoveStatus status = next_step(status_in(MovePhase::committed), view, rules, noon).status;
  EXPECT_FALSE(status.finished);
  status = next_step(status, view, rules, noon + rules.problem_patience).status;
  EXPECT_TRUE(status.finished);
  EXPECT_EQ(status.source, SourceState::kept);
}

TEST(MoveMachine, ADropWaitsForAnotherMoveOfTheSameBlocks) {
  MoveView view = ready_view();
  view.has_target = view.may_start = false;
  view.drop_source = view.others_hold = true;
  view.waits_for = "waiting for DataMove x";
  EXPECT_EQ(next_step({}, view, rules, noon).status.message, "waiting for DataMove x");
  view.may_start = true;
  EXPECT_EQ(next_step({}, view, rules, noon).status.phase, MovePhase::committed);
}

TEST(MoveMachine, AMoveToExtraCopiesMakesThemStay) {
  Replicas replicas{{"a", *BlockRanges::parse("0-3"), {}, {}, {}},
                    {"b", *BlockRanges::parse("0-3"), *BlockRanges::parse("0-3"), *BlockRanges::parse("1-2"), {}}};
  const LedgerEntry entry{"a", "b", *BlockRanges::parse("0-3"), false};
  const auto exists = [](const std::string&) { return true; };
  MoveView view = ready_view();
  fill_replicas(replicas, entry, exists, view);
  EXPECT_FALSE(view.target_holds);
  ASSERT_EQ(next_step({}, view, rules, noon).action, commit);
  replicas = *with_action(replicas, commit, entry, false, exists);
  fill_replicas(replicas, entry, exists, view);
  EXPECT_TRUE(view.target_holds);
  EXPECT_TRUE(replicas[1].extra.empty());
  EXPECT_EQ(next_step({}, view, rules, noon).status.phase, MovePhase::committed);
}

TEST(MoveMachine, ACommitThatCameThroughIsNotCleanedAway) {
  MoveView view = ready_view();
  view.cancel = view.target_holds = true;
  DataMoveStatus status = status_in(MovePhase::failed);
  EXPECT_EQ(next_step(status, view, rules, noon).status.phase, MovePhase::committed);
}

// ---- whole lives, with crashes ----

// The API server, nodes and their files, as far as moves can tell.
class World {
 public:
  static constexpr std::uint32_t blocks = 4;
  struct Job {
    std::size_t move = 0;
    char kind = 'c';  // copy, drop, clean (k)
    std::int32_t attempt = 0;
    int steps = 0;
    WorkState state = WorkState::running;
  };
  struct Move {
    std::string from, to;
    BlockRanges asked;
    bool drop = false, extra = false, cancel = false, deleting = false, finalizer = false, gone = false;
    DataMoveStatus status;
    std::uint64_t version = 1;
  };
  struct Truth {
    Replicas replicas;
    std::uint64_t replicas_version = 1;
    std::vector<Move> moves;
    std::map<std::string, Job> jobs;
  };

  explicit World(std::uint64_t seed) : random_(seed) {
    for (const char* store : {"a", "b", "c"}) truth.replicas.push_back({store, {}, {}, {}, {}});
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const auto store = static_cast<std::size_t>(random_.below(3));
      truth.replicas[store].blocks.add(block);
      originals_.insert({truth.replicas[store].store, block});
      if (random_.below(3) == 0) {
        HeldBlocks& other = truth.replicas[(store + 1) % 3];
        other.blocks.add(block);
        originals_.insert({other.store, block});
      }
    }
    for (std::uint64_t i = 2 + random_.below(3); i > 0; --i) {
      Move move;
      const auto from = static_cast<std::size_t>(random_.below(3));
      move.from = truth.replicas[from].store;
      if (random_.below(5) > 0) move.to = truth.replicas[(from + 1 + random_.below(2)) % 3].store;
      move.drop = move.to.empty() || random_.below(2) == 0;
      move.extra = !move.to.empty() && random_.below(3) == 0;
      move.asked = truth.replicas[from].blocks;
      if (!move.asked.empty()) truth.moves.push_back(move);
    }
    cached = truth;
  }

  // One thing happens anywhere.
  void happen(bool calm) {
    switch (random_.below(calm ? 4 : 8)) {
      case 0:
      case 1:
        operate();
        break;
      case 2:
        work();
        break;
      case 3:
        deliver();
        break;
      case 4:
        crash();
        break;
      case 5:
        person();
        break;
      default:
        cached.jobs = truth.jobs;
        break;
    }
    now += std::chrono::seconds(1);
    check();
  }

  // Quiet from now on: nothing is lost any more.
  void settle() {
    for (int i = 0; i < 3000; ++i) {
      cached = truth;
      happen(true);
    }
    cached = truth;
  }

  void check_end() const {
    std::set<std::pair<std::string, std::uint32_t>> held, copied;
    for (const HeldBlocks& each : truth.replicas) {
      EXPECT_TRUE(each.leaving.empty()) << each.store;
      for (const std::uint32_t block : each.blocks.blocks())
        (each.copies.contains(block) ? copied : held).insert({each.store, block});
    }
    EXPECT_EQ(finals_, copied) << "copies that nobody knows of, or that are missing";
    EXPECT_EQ(originals_, held);
    EXPECT_TRUE(temporaries_.empty());
    for (const Move& move : truth.moves)
      EXPECT_TRUE(move.gone || move.status.finished) << phase_name(move.status.phase) << ' ' << move.status.message;
    for (const auto& [name, job] : truth.jobs) EXPECT_NE(job.state, WorkState::running) << name;
  }

  Truth truth, cached;
  TimePoint now = noon;
  int crashes = 0, commits = 0, drops = 0, failures = 0;

 private:
  struct Flight {  // a write that the server has not yet done
    std::function<void()> apply;
    bool of_dead = false;
    std::string object;
  };

  static bool exists(const std::string&) { return true; }

  MoveView view_of(std::size_t number) const {
    const Move& move = cached.moves[number];
    MoveView view;
    view.has_target = !move.to.empty();
    view.drop_source = move.drop;
    view.cancel = move.cancel;
    view.deleting = move.deleting;
    view.has_finalizer = move.finalizer;
    view.attempts = 3;
    const bool began = move.status.phase != MovePhase::none && move.status.phase != MovePhase::pending;
    BlockRanges there;
    for (const HeldBlocks& held : cached.replicas)
      if (held.store == move.from) there = held.blocks, there.remove(held.leaving);
    const LedgerEntry entry = entry_of(move);
    if (!began && !there.contains(entry.blocks)) view.problem = "does not hold all";
    view.wanted = entry.blocks;
    fill_replicas(cached.replicas, entry, exists, view);
    const auto state = [&](const std::string& name) {
      const auto job = cached.jobs.find(name);
      return job == cached.jobs.end() ? WorkState::absent : job->second.state;
    };
    view.copy = state(job_name(number, 'c', move.status.attempt));
    view.drop = state(job_name(number, move.status.phase == MovePhase::failed ? 'k' : 'd', move.status.drop_attempt));
    for (const auto& [name, job] : cached.jobs) view.copies_left |= job.move == number && job.kind == 'c';
    return view;
  }

  static std::string job_name(std::size_t move, char kind, std::int32_t attempt) {
    return std::to_string(move) + kind + std::to_string(attempt);
  }

  LedgerEntry entry_of(const Move& move) const {
    const bool began = move.status.phase != MovePhase::none && move.status.phase != MovePhase::pending;
    return {move.from, move.to, began ? move.status.blocks : move.asked, move.extra};
  }

  bool under_way(const std::string& object) const {
    return std::any_of(flights_.begin(), flights_.end(),
                       [&](const Flight& flight) { return !flight.of_dead && flight.object == object; });
  }

  void operate() {
    if (random_.below(2) == 0) cached = truth;
    MoveAdmission admission({2, 2});
    const auto claim = [&](std::size_t i) {
      const Move& move = cached.moves[i];
      return MoveClaim{std::to_string(i), "s", move.from, move.to, move.from, move.to, entry_of(move).blocks, 1};
    };
    const auto waits = [&](std::size_t i) {
      return cached.moves[i].status.phase <= MovePhase::pending && !under_way(std::to_string(i));
    };
    for (std::size_t i = 0; i < cached.moves.size(); ++i)
      if (!cached.moves[i].gone && !waits(i) && !cached.moves[i].status.finished)
        admission.count(claim(i), cached.moves[i].status.phase != MovePhase::committed);
    for (std::size_t i = 0; i < cached.moves.size(); ++i) {
      if (cached.moves[i].gone || under_way(std::to_string(i))) continue;
      MoveView view = view_of(i);
      if (waits(i) && view.problem.empty()) view.may_start = admission.admit(claim(i)).empty();
      const MoveStep next = next_step(cached.moves[i].status, view, rules, now);
      if (next.action)
        act(i, *next.action, view);
      else if (!(next.status == cached.moves[i].status))
        write_move(i, [status = next.status](Move& move) { move.status = status; });
    }
  }

  void send(const std::string& object, std::function<void()> apply) {
    flights_.push_back({std::move(apply), false, object});
  }

  void write_move(std::size_t i, const std::function<void(Move&)>& change) {
    send(std::to_string(i), [this, i, change, version = cached.moves[i].version] {
      Move& move = truth.moves[i];
      if (move.gone || move.version != version) return;  // 409
      change(move);
      ++move.version;
      if (move.deleting && !move.finalizer) move.gone = true;
    });
  }

  void act(std::size_t i, MoveAction action, const MoveView&) {
    const Move move = cached.moves[i];
    switch (action) {
      case add_finalizer:
        return write_move(i, [](Move& own) { own.finalizer = true; });
      case remove_finalizer:
        return write_move(i, [](Move& own) { own.finalizer = false; });
      case delete_object:
      case start_source:
        return;
      case start_copy:
        return create(i, 'c', move.status.attempt);
      case start_drop:
        return create(i, 'd', move.status.drop_attempt);
      case start_clean:
        return create(i, 'k', move.status.drop_attempt);
      case end_copy:
        for (const auto& [name, job] : cached.jobs)
          if (job.move == i && job.kind == 'c')
            send("job " + name, [this, job_to_end = name] { truth.jobs.erase(job_to_end); });
        return;
      default:
        break;
    }
    if (under_way("set")) return;
    auto changed = with_action(cached.replicas, action, entry_of(move), move.status.phase == MovePhase::failed, exists);
    if (!changed) return;
    send("set", [this, action, changed = *changed, version = cached.replicas_version] {
      if (truth.replicas_version != version) return;  // 409
      truth.replicas = changed;
      ++truth.replicas_version;
      commits += action == commit;
      drops += action == remove_source;
    });
  }

  void create(std::size_t i, char kind, std::int32_t attempt) {
    const std::string name = job_name(i, kind, attempt);
    if (under_way("job " + name)) return;
    // A creation takes less time than a whole cleaning: it is not late without bounds, unlike the others.
    const Job job{i, kind, attempt, 0, WorkState::running};
    if (kind == 'c')
      truth.jobs.try_emplace(name, job);
    else
      send("job " + name, [this, name, job] { truth.jobs.try_emplace(name, job); });
  }

  // A Job goes on by one step.
  void work() {
    if (truth.jobs.empty()) return;
    auto place = truth.jobs.begin();
    std::advance(place, static_cast<std::ptrdiff_t>(random_.below(truth.jobs.size())));
    Job& job = place->second;
    if (job.state != WorkState::running) return;
    const Move& move = truth.moves[job.move];
    if (random_.below(12) == 0) {
      ++failures;
      job.state = WorkState::failed;
      return;
    }
    ++job.steps;
    if (job.kind == 'c') {
      if (job.steps == 1) temporaries_.insert({job.move, job.attempt});
      if (job.steps < 3) return;
      for (const std::uint32_t block : move.status.blocks.blocks())
        if (!holds(move.to, block)) finals_.insert({move.to, block});
      std::erase_if(temporaries_, [&](const auto& each) { return each.first == job.move; });
    } else {
      const std::string& store = job.kind == 'd' ? move.from : move.to;
      if (job.kind == 'k') std::erase_if(temporaries_, [&](const auto& each) { return each.first == job.move; });
      for (const HeldBlocks& held : truth.replicas) {
        if (held.store != store) continue;
        BlockRanges going = held.leaving.intersection(move.status.blocks);
        going.remove(held.blocks);
        for (const std::uint32_t block : going.blocks())
          (held.copies.contains(block) ? finals_ : originals_).erase({store, block});
      }
    }
    job.state = WorkState::succeeded;
  }

  bool holds(const std::string& store, std::uint32_t block) const {
    for (const HeldBlocks& held : truth.replicas)
      if (held.store == store) return held.blocks.contains(block);
    return false;
  }

  void deliver() {
    if (flights_.empty()) return;
    const auto place = flights_.begin() + static_cast<std::ptrdiff_t>(random_.below(flights_.size()));
    const Flight flight = *place;
    flights_.erase(place);
    flight.apply();
  }

  // The next process knows only what the server tells; what the dead one sent may still arrive.
  void crash() {
    ++crashes;
    for (Flight& flight : flights_) flight.of_dead = true;
    std::erase_if(flights_, [&](const Flight&) { return random_.below(2) == 0; });
    cached = truth;
  }

  void person() {
    if (truth.moves.empty() || random_.below(10) > 0) return;
    Move& move = truth.moves[random_.below(truth.moves.size())];
    if (move.gone) return;
    ++move.version;
    if (random_.below(2) == 0) {
      move.cancel = true;
    } else {
      move.deleting = true;
      move.gone = !move.finalizer;
    }
  }

  void check() const {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      int verified = 0;
      for (const HeldBlocks& held : truth.replicas) {
        if (!held.blocks.contains(block)) continue;
        ++verified;
        const auto& files = held.copies.contains(block) ? finals_ : originals_;
        ASSERT_TRUE(files.contains({held.store, block})) << "block " << block << " is not in " << held.store;
      }
      ASSERT_GE(verified, 1) << "block " << block << " is nowhere";
    }
  }

  Random random_;
  std::set<std::pair<std::string, std::uint32_t>> originals_, finals_;  // files
  std::set<std::pair<std::size_t, std::int32_t>> temporaries_;
  std::vector<Flight> flights_;
};

TEST(MoveMachine, KeepsAVerifiedReplicaOfEveryBlockThroughCrashesAtAnyPoint) {
  int crashes = 0, commits = 0, drops = 0, failures = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) world.happen(false);
    if (!testing::Test::HasFailure()) world.settle();
    world.check_end();
    crashes += world.crashes;
    commits += world.commits;
    drops += world.drops;
    failures += world.failures;
    if (testing::Test::HasFailure()) break;
  }
  RecordProperty("crashes", crashes);
  EXPECT_GT(crashes, 10'000);
  EXPECT_GT(commits, 300);
  EXPECT_GT(drops, 50) << "an original stays where another one is only declared";
  EXPECT_GT(failures, 100);
}

}  // namespace
}  // namespace lips::kubernetes
