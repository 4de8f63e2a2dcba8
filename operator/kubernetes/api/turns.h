// The order in which wishes are granted where there is room for some of them: namespaces take turns, so none waits until
// all that another one wants is done, and what was never granted comes before repetitions. Knows no wish.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lips::kubernetes {

template <class Wish>
class Turns {
 public:
  // `most`: as many are granted at once at most; of what one namespace wants beyond that nothing is kept.
  explicit Turns(std::size_t most = std::numeric_limits<std::size_t>::max()) : most_(most) {}

  // `again`: it repeats what was granted before.
  void add(const std::string& name_space, Wish wish, bool again = false) {
    std::vector<Wish>& wishes = (again ? repeated_ : first_)[name_space];
    if (wishes.size() < most_) wishes.push_back(std::move(wish));
  }

  // Calls `serve` for as many wishes as are granted at once, and forgets the others.
  template <class Serve>
  void grant_most(Serve serve) {
    std::size_t left = most_;
    grant([&](const Wish& wish) {
      if (left == 0) return false;
      --left;
      serve(wish);
      return true;
    });
  }

  // Calls `serve` for one wish after the other until it returns false: that one is not granted. Forgets all of them; the
  // next call begins with the namespace whose turn it would have been.
  template <class Serve>
  void grant(Serve serve) {
    const Wishes first = std::exchange(first_, {}), repeated = std::exchange(repeated_, {});
    if (grant_all(first, serve)) grant_all(repeated, serve);
  }

 private:
  using Wishes = std::map<std::string, std::vector<Wish>>;

  template <class Serve>
  bool grant_all(const Wishes& wishes, Serve& serve) {
    std::vector<typename Wishes::const_iterator> round;
    const auto next = wishes.upper_bound(last_);
    for (auto at = next; at != wishes.end(); ++at) round.push_back(at);
    for (auto at = wishes.begin(); at != next; ++at) round.push_back(at);
    for (std::size_t i = 0; !round.empty(); ++i) {
      std::erase_if(round, [&](const auto& at) { return at->second.size() <= i; });
      for (const auto& at : round) {
        if (!serve(at->second[i])) return false;
        last_ = at->first;
      }
    }
    return true;
  }

  const std::size_t most_;
  Wishes first_, repeated_;
  std::string last_;  // the namespace that was granted something last
};

}  // namespace lips::kubernetes
