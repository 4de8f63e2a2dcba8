#include "kubernetes/pods/anti_affinity.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/random.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using Operator = LabelRequirement::Operator;

const char* const spaces[] = {"a", "b", "c"};
const char* const topologies[] = {"host", "zone"};

std::string numbered(Random& random, const char* prefix, std::uint64_t count) {
  return prefix + std::to_string(random.below(count));
}

// The same world, looked at term by term.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) change_node();
    for (int i = 0; i < 6; ++i) {
      TextMap labels;
      for (int key = 0; key < 3; ++key)
        if (random_.below(3) > 0) labels.emplace_back("k" + std::to_string(key), numbered(random_, "v", 3));
      const std::string in = spaces[random_.below(3)];
      waiting_.push_back({in, labels, affinity_.against(in, labels)});
    }
  }

  void step() {
    switch (random_.below(6)) {
      case 0:
        return change_node();
      case 1:
        return change_namespace();
      case 2:
        if (random_.below(4) == 0) affinity_.forget_counts();
        return;
      default:
        return change_pod();
    }
  }

  // The answer of against() is that of the terms, and another answer than before was announced.
  void check() {
    const AntiAffinity::Changes changes = affinity_.take_changed();
    for (Waiting& waits : waiting_) {
      const bool announced = affinity_.may_concern(changes, waits.name_space, waits.labels);
      const std::vector<LabelRequirement> now = expected(waits);
      ASSERT_EQ(affinity_.against(waits.name_space, waits.labels), now);
      ASSERT_TRUE(announced || now == waits.before);
      quiet_ += !announced;
      kept_out_ += !now.empty();
      waits.before = now;
    }
  }

  int quiet() const { return quiet_; }
  int kept_out() const { return kept_out_; }

 private:
  struct Waiting {
    std::string name_space;
    TextMap labels;
    std::vector<LabelRequirement> before;
  };
  struct Placed {
    std::string name_space, node;
    std::vector<AntiAffinityTerm> terms;
  };

  void change_node() {
    const std::string name = numbered(random_, "n", 4);
    if (random_.below(5) == 0) {
      node_labels_.erase(name);
      return nodes_.forget(name);
    }
    Node node;
    node.meta = {"", name, name, "1"};
    node.labels = {{"host", name}};
    if (random_.below(3) > 0) node.labels.emplace_back("zone", numbered(random_, "z", 2));
    node.ready = true;
    node_labels_[name] = node.labels;
    nodes_.update(node);
  }

  void change_namespace() {
    const std::string name = spaces[random_.below(3)];
    if (random_.below(4) == 0) {
      namespaces_.erase(name);
      return affinity_.forget_namespace(name);
    }
    Namespace changed{{"", name, name, "1"}, {{"team", numbered(random_, "t", 2)}}};
    namespaces_[name] = changed.labels;
    affinity_.update(changed);
  }

  std::vector<LabelRequirement> selector(const char* key, const char* value) {
    std::vector<LabelRequirement> all;
    for (std::uint64_t i = 0, count = random_.below(3); i < count; ++i) {
      LabelRequirement asked{numbered(random_, key, 3), static_cast<Operator>(random_.below(4)), {}};
      if (asked.op == Operator::in || asked.op == Operator::not_in)
        for (std::uint64_t values = 1 + random_.below(3); values > 0; --values)
          asked.values.push_back(numbered(random_, value, 3));
      all.push_back(asked);
    }
    return all;
  }

  AntiAffinityTerm term() {
    AntiAffinityTerm made;
    made.topology_key = topologies[random_.below(2)];
    if (random_.below(8) > 0) made.selector = selector("k", "v");
    if (random_.below(3) == 0)
      for (const char* name : spaces)
        if (random_.below(2) == 0) made.namespaces.push_back(name);
    if (random_.below(4) == 0) {
      made.namespace_selector.emplace();
      if (random_.below(2) == 0)
        made.namespace_selector->push_back({"team", Operator::in, {numbered(random_, "t", 2)}});
    }
    return made;
  }

  void change_pod() {
    const std::string name = numbered(random_, "p", 8);
    const ObjectMeta meta{name_space_of(name), name, name, "1"};
    if (random_.below(3) == 0) {
      placed_.erase(name);
      return affinity_.forget(meta);
    }
    Placed pod{meta.name_space, numbered(random_, "n", 4), {}};
    for (std::uint64_t i = 0, count = random_.below(4); i < count; ++i) pod.terms.push_back(term());
    affinity_.update(meta, pod.node, pod.terms);
    placed_[name] = pod;
  }
  static std::string name_space_of(const std::string& pod) { return spaces[pod.back() % 3]; }

  std::vector<LabelRequirement> expected(const Waiting& waits) const {
    std::map<std::string, std::set<std::string>> domains;
    for (const auto& [name, pod] : placed_)
      for (const AntiAffinityTerm& term : pod.terms) {
        const bool own = term.namespaces.empty() && !term.namespace_selector && pod.name_space == waits.name_space;
        const bool listed = std::count(term.namespaces.begin(), term.namespaces.end(), waits.name_space) > 0;
        const auto known = namespaces_.find(waits.name_space);
        const bool selected = term.namespace_selector &&
                              (known == namespaces_.end() || meets_all(*term.namespace_selector, {known->second, {}}));
        if (!own && !listed && !selected) continue;
        if (!term.selector || !meets_all(*term.selector, {waits.labels, {}})) continue;
        const auto node = node_labels_.find(pod.node);
        if (node == node_labels_.end()) continue;
        for (const auto& [key, value] : node->second)
          if (key == term.topology_key) domains[key].insert(value);
      }
    std::vector<LabelRequirement> result;
    for (const auto& [key, values] : domains) result.push_back({key, Operator::not_in, {values.begin(), values.end()}});
    return result;
  }

  Random random_;
  NodeCache nodes_;
  AntiAffinity affinity_{nodes_};
  std::map<std::string, TextMap> node_labels_, namespaces_;
  std::map<std::string, Placed> placed_;
  std::vector<Waiting> waiting_;
  int quiet_ = 0, kept_out_ = 0;
};

TEST(AntiAffinity, SaysWhatTheTermsSayWhateverComesAndGoes) {
  int quiet = 0, kept_out = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Story story(seed);
    for (int i = 0; i < 60; ++i) {
      for (int several = i % 3; several >= 0; --several) story.step();
      story.check();
      if (HasFatalFailure()) return;
    }
    quiet += story.quiet();
    kept_out += story.kept_out();
  }
  EXPECT_GT(quiet, 10'000);  // looked at, but not announced
  EXPECT_GT(kept_out, 10'000);
}

}  // namespace
}  // namespace lips::kubernetes
