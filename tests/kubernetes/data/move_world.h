// The life of some moves with all that can happen to it: crashes, lost, late and reordered writes, people who cancel
// and delete, and restored backups of the API server's store. Checks after each step that no byte is lost.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/move_machine.h"
#include "kubernetes/data/replica_ledger.h"

namespace lips::kubernetes {

// The API server, nodes and their files, as far as moves can tell.
class MoveWorld {
 public:
  static constexpr std::uint32_t blocks = 4;
  struct Job {
    std::size_t move = 0;
    char kind = 'c';  // copy, drop, clean (k)
    std::int32_t attempt = 0;
    int steps = 0;
    WorkState state = WorkState::running;
    // Blocks of a Job that deletes, as its pod is told them.
    BlockRanges going, copies;
    std::string witness;  // of a drop: a store that its pod can see and that should have them; empty: there is none
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
    bool suspended = false;  // as a restore that was noticed is written down
  };
  struct Restores {
    bool happen = false;
    bool corrected = false;   // before they confirm, people write into the status what the stores have
    bool every_sight = true;  // one pod can look at any two stores
    bool aliases = false;     // c is another name of a
  };

  explicit MoveWorld(std::uint64_t seed) : MoveWorld(seed, Restores{}) {}
  MoveWorld(std::uint64_t seed, Restores restores) : restores_(restores), random_(seed) {
    for (const char* store : {"a", "b", "c"}) truth.replicas.push_back({store, {}, {}, {}, {}});
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const auto store = static_cast<std::size_t>(random_.below(3));
      truth.replicas[store].blocks.add(block);
      originals_.insert({place_of(truth.replicas[store].store), block});
      if (random_.below(3) == 0) {
        HeldBlocks& other = truth.replicas[(store + 1) % 3];
        other.blocks.add(block);
        originals_.insert({place_of(other.store), block});
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
    for (std::uint32_t block = 0; block < blocks; ++block)
      if (has_bytes(block)) declared_.add(block);
  }

  // One thing happens anywhere.
  void happen(bool calm) {
    if (restores_.happen && !calm) disaster();
    if (restores_.happen && calm && truth.suspended) confirm();
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
  TimePoint now = TimePoint(std::chrono::hours(12));
  int crashes = 0, commits = 0, drops = 0, failures = 0, restored = 0, kept_by_proof = 0;

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
    if (cached.suspended || noticed_) view.suspended = "the store went back";
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
    if (random_.below(2) == 0) look();
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
      const MoveStep next = next_step(cached.moves[i].status, view, rules_, now);
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
    using enum MoveAction;
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
      case end_drop:
        for (const auto& [name, job] : cached.jobs)
          if (job.move == i && (job.kind == 'c') == (action == end_copy))
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
    Job job{i, kind, attempt, 0, WorkState::running, {}, {}, {}};
    const Move& move = cached.moves[i];
    const std::string store = kind == 'd' ? move.from : move.to;
    for (const HeldBlocks& held : cached.replicas)
      if (held.store == store && kind != 'c') {
        job.going = held.leaving.intersection(move.status.blocks);
        job.going.remove(held.blocks);
        job.copies = held.copies;
      }
    for (const HeldBlocks& held : cached.replicas) {
      BlockRanges stays = held.blocks;
      stays.remove(held.leaving);
      if (kind == 'd' && held.store != store && sees(held.store, store) && stays.contains(job.going))
        job.witness = held.store;
    }
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
        if (!has_file(move.from, block) && !holds(move.to, block)) {
          job.state = WorkState::failed;
          return;
        }
      for (const std::uint32_t block : move.status.blocks.blocks())
        if (!holds(move.to, block)) finals_.insert({move.to, block});
      std::erase_if(temporaries_, [&](const auto& each) { return each.first == job.move; });
    } else if (!deletes(job, move)) {
      ++kept_by_proof;
      job.state = WorkState::failed;
      return;
    }
    job.state = WorkState::succeeded;
  }

  // False: nothing was deleted, because what the drop relies on cannot be read.
  bool deletes(const Job& job, const Move& move) {
    const bool clean = job.kind == 'k';
    if (!clean && !job.witness.empty() && place_of(job.witness) == place_of(move.from)) return false;
    for (const std::uint32_t block : job.going.blocks())
      if (!clean && !job.witness.empty() && !has_file(job.witness, block)) return false;
    if (clean) std::erase_if(temporaries_, [&](const auto& each) { return each.first == job.move; });
    for (const std::uint32_t block : job.going.blocks()) {
      if (clean &&
          (!sees(move.from, move.to) || !has_file(move.from, block) || place_of(move.from) == place_of(move.to))) {
        ++kept_by_proof;
        continue;
      }
      (job.copies.contains(block) ? finals_ : originals_).erase({place_of(clean ? move.to : move.from), block});
    }
    return true;
  }

  bool sees(const std::string& a, const std::string& b) const {
    return restores_.every_sight || (a != "c" && b != "c");
  }
  bool has_file(const std::string& store, std::uint32_t block) const {
    return originals_.contains({place_of(store), block}) || finals_.contains({place_of(store), block});
  }
  std::string place_of(const std::string& store) const { return restores_.aliases && store == "c" ? "a" : store; }
  bool has_bytes(std::uint32_t block) const {
    return has_file("a", block) || has_file("b", block) || has_file("c", block);
  }

  // The operator sees the truth from now on. It notices if the server's store has gone back since the last look.
  void look() {
    cached = truth;
    if (!noticed_) return;
    truth.suspended = cached.suspended = true;
    noticed_ = false;
  }

  void disaster() {
    if (random_.below(100) == 0) backup_ = truth;
    if (backup_ && random_.below(150) == 0) {
      const bool was_suspended = truth.suspended;
      truth = *backup_;
      truth.suspended = was_suspended && backup_->suspended;
      for (auto& [name, job] : truth.jobs)
        if (job.state == WorkState::running) job.steps = 0;
      flights_.clear();
      noticed_ = true;
      trusted_ = false;
      ++restored;
      backup_.reset();
    }
    if (truth.suspended && random_.below(60) == 0) confirm();
  }

  // A person has looked, as docs/runbooks.md says.
  void confirm() {
    if (restores_.corrected) {
      for (HeldBlocks& held : truth.replicas)
        for (std::uint32_t block = 0; block < blocks; ++block) {
          const BlockRanges one = BlockRanges::one(block);
          const std::pair<std::string, std::uint32_t> file{place_of(held.store), block};
          const bool copy = finals_.contains(file), original = originals_.contains(file);
          if (!copy && !original) held.blocks.remove(one), held.extra.remove(one);
          if ((copy || original) && !held.leaving.contains(block)) {
            held.blocks.add(one);
            copy ? held.copies.add(one) : held.copies.remove(one);
          }
        }
      trusted_ = true;
      ++truth.replicas_version;
    }
    truth.suspended = false;
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

  // Reads the stores, whatever the operator believes of them.
  void check() const {
    for (const std::uint32_t block : declared_.blocks())
      ASSERT_TRUE(has_bytes(block)) << "the bytes of block " << block << " are nowhere";
    if (!trusted_ || restores_.aliases) return;  // what goes under one name goes under the other
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

  const Restores restores_;
  const MoveRules rules_;
  Random random_;
  std::set<std::pair<std::string, std::uint32_t>> originals_, finals_;  // files
  std::set<std::pair<std::size_t, std::int32_t>> temporaries_;
  std::vector<Flight> flights_;
  std::optional<Truth> backup_;
  BlockRanges declared_;  // blocks that some store had at first
  bool noticed_ = false;  // the store has gone back, and the operator's next look will show it
  bool trusted_ = true;   // no restore, or a person has corrected the status since
};

}  // namespace lips::kubernetes
