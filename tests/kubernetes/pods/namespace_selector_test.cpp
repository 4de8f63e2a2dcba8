// Required anti-affinity of pods that are on nodes, where it selects namespaces by their labels: as kube-scheduler
// reads it (AffinityTerm.Matches of its framework).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/pods/namespace.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/volume_cache.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* host = "kubernetes.io/hostname";
using Labels = std::map<std::string, std::string>;

TextMap text_map(const Labels& labels) { return {labels.begin(), labels.end()}; }

Namespace name_space(const std::string& name, const Labels& labels) {
  return {{"", name, "uid-of-" + name, "1"}, text_map(labels)};
}

// A pod as the API server shows it. `terms`: JSON of its required anti-affinity. Another scheduler bound it to `node`;
// none: it is ours and waits.
Pod pod_of(const std::string& in, const std::string& name, const std::string& terms, const std::string& node,
           const Labels& labels = {{"app", "web"}}) {
  std::string texts;
  for (const auto& [key, value] : labels) texts += fmt::format(R"({}"{}":"{}")", texts.empty() ? "" : ",", key, value);
  Result<Pod> pod = PodDecoder().decode(fmt::format(
      R"({{"metadata":{{"namespace":"{}","name":"{}","uid":"{}","labels":{{{}}}}},"spec":{{"schedulerName":"{}",
      "nodeName":"{}","affinity":{{"podAntiAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}}}}}}})",
      in, name, in + name, texts, node.empty() ? "lips" : "other", node, terms));
  EXPECT_TRUE(pod) << pod.error().message;
  return *pod;
}

class SomeCluster {
 public:
  SomeCluster() {
    for (const char* name : {"n1", "n2"}) {
      Node node;
      node.meta = {"", name, name, "1"};
      node.labels = {{host, name}};
      node.ready = true;
      nodes_.update(node);
    }
  }
  PodCache& pods() { return pods_; }
  // A pod with such labels waits in that namespace.
  PodRecord* wait_in(const std::string& in, const Labels& labels = {{"app", "web"}}) {
    PodRecord* record = pods_.update(pod_of(in, "waits", "", "", labels), TimePoint{}).record;
    pods_.review_anti_affinity();
    return record;
  }
  std::vector<std::string> places(const PodRecord& record) const {
    std::vector<std::string> names;
    for (const auto& [name, node] : nodes_.all())
      if (eligible(pods_.classes()[record.pod_class].placement(), profile_of(*node.node))) names.push_back(name);
    return names;
  }

 private:
  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache pods_{"lips", volumes_, groups_, nodes_};
};

struct Row {
  const char* about;
  const char* namespaces;  // fields of a term whose owner is in `owner`
  const char* in;          // where the other pod waits
  bool kept_out;
};

// The namespaces: owner (no labels), a (team a), b (team b), ab (team a, zone b).
constexpr Row rows[] = {
    {"neither: the owner's namespace", "", "owner", true},
    {"neither: no other", "", "a", false},
    {"null and an empty list are the same", R"(,"namespaces":[],"namespaceSelector":null)", "owner", true},
    {"null and an empty list are the same", R"(,"namespaces":[],"namespaceSelector":null)", "a", false},
    {"a list: those of it", R"(,"namespaces":["a","b"])", "b", true},
    {"a list: not the owner's", R"(,"namespaces":["a","b"])", "owner", false},
    {"an empty selector: all", R"(,"namespaceSelector":{})", "owner", true},
    {"an empty selector: all", R"(,"namespaceSelector":{})", "b", true},
    {"an empty selector: even one that nobody knows", R"(,"namespaceSelector":{})", "new", true},
    {"empty fields are an empty selector", R"(,"namespaceSelector":{"matchLabels":{},"matchExpressions":[]})", "b",
     true},
    {"an empty selector beside a list: all", R"(,"namespaces":["a"],"namespaceSelector":{})", "b", true},
    {"labels that match", R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})", "a", true},
    {"labels that do not", R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})", "b", false},
    {"labels: not the owner's namespace as such", R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})", "owner",
     false},
    {"all labels have to match", R"(,"namespaceSelector":{"matchLabels":{"team":"a","zone":"b"}})", "a", false},
    {"all labels have to match", R"(,"namespaceSelector":{"matchLabels":{"team":"a","zone":"b"}})", "ab", true},
    {"a list and a selector: either", R"(,"namespaces":["owner"],"namespaceSelector":{"matchLabels":{"team":"a"}})",
     "owner", true},
    {"a list and a selector: either", R"(,"namespaces":["owner"],"namespaceSelector":{"matchLabels":{"team":"a"}})",
     "a", true},
    {"a list and a selector: no other", R"(,"namespaces":["owner"],"namespaceSelector":{"matchLabels":{"team":"a"}})",
     "b", false},
    {"In", R"(,"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"In","values":["b","c"]}]})", "b",
     true},
    {"In", R"(,"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"In","values":["b","c"]}]})", "a",
     false},
    {"NotIn", R"(,"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"NotIn","values":["b"]}]})", "a",
     true},
    {"NotIn holds without the label",
     R"(,"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"NotIn","values":["b"]}]})", "owner", true},
    {"Exists", R"(,"namespaceSelector":{"matchExpressions":[{"key":"zone","operator":"Exists"}]})", "ab", true},
    {"Exists", R"(,"namespaceSelector":{"matchExpressions":[{"key":"zone","operator":"Exists"}]})", "a", false},
    {"DoesNotExist", R"(,"namespaceSelector":{"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})", "a",
     true},
    {"DoesNotExist", R"(,"namespaceSelector":{"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})", "ab",
     false},
    {"labels of a namespace that nobody knows are counted as matching",
     R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})", "new", true},
    {"an operator that nobody knows matches all", R"(,"namespaceSelector":{"matchExpressions":[{"key":"team",
      "operator":"Like","values":["z"]}]})",
     "b", true},
};

TEST(NamespaceSelector, IsReadAsKubeSchedulerReadsIt) {
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{}: {}, in {}", row.about, row.namespaces, row.in));
    SomeCluster cluster;
    cluster.pods().update(name_space("owner", {}));
    cluster.pods().update(name_space("a", {{"team", "a"}}));
    cluster.pods().update(name_space("b", {{"team", "b"}}));
    cluster.pods().update(name_space("ab", {{"team", "a"}, {"zone", "b"}}));
    const std::string term = fmt::format(
        R"({{"topologyKey":"{}","labelSelector":{{"matchLabels":{{"app":"web"}}}}{}}})", host, row.namespaces);
    cluster.pods().update(pod_of("owner", "alone", term, "n1"), TimePoint{});
    const PodRecord* waiting = cluster.wait_in(row.in);
    if (row.kept_out)
      EXPECT_THAT(cluster.places(*waiting), ElementsAre("n2"));
    else
      EXPECT_THAT(cluster.places(*waiting), ElementsAre("n1", "n2"));
    const PodRecord* not_meant = cluster.pods().update(pod_of(row.in, "db", "", "", {{"app", "db"}}), {}).record;
    EXPECT_THAT(cluster.places(*not_meant), ElementsAre("n1", "n2")) << "the pods' own labels count as well";
  }
}

constexpr const char* for_team_a = R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{},
    "namespaceSelector":{"matchLabels":{"team":"a"}}})";

TEST(NamespaceSelector, FollowsTheLabelsOfNamespaces) {
  SomeCluster cluster;
  cluster.pods().update(pod_of("owner", "alone", for_team_a, "n1"), TimePoint{});
  PodRecord* waiting = cluster.wait_in("batch");
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n2")) << "nobody knows its labels";
  cluster.pods().update(name_space("batch", {{"team", "b"}}));
  EXPECT_THAT(cluster.pods().review_anti_affinity(), ElementsAre(waiting));
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n1", "n2"));
  cluster.pods().update(name_space("batch", {{"team", "b"}}));
  cluster.pods().update(name_space("other", {{"team", "a"}}));
  EXPECT_THAT(cluster.pods().review_anti_affinity(), IsEmpty());
  cluster.pods().update(name_space("batch", {{"team", "a"}}));
  EXPECT_THAT(cluster.pods().review_anti_affinity(), ElementsAre(waiting));
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n2"));
  cluster.pods().update(name_space("batch", {}));
  EXPECT_THAT(cluster.pods().review_anti_affinity(), ElementsAre(waiting));
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n1", "n2"));
  cluster.pods().forget_namespace("batch");
  EXPECT_THAT(cluster.pods().review_anti_affinity(), ElementsAre(waiting));
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n2"));
}

// The term that kept it out is gone in the same moment in which its namespace is another team's.
TEST(NamespaceSelector, FollowsLabelsAndTermsThatChangeTogether) {
  SomeCluster cluster;
  const Pod alone = pod_of("owner", "alone", for_team_a, "n1");
  cluster.pods().update(name_space("batch", {{"team", "a"}}));
  cluster.pods().update(alone, TimePoint{});
  PodRecord* waiting = cluster.wait_in("batch");
  ASSERT_THAT(cluster.places(*waiting), ElementsAre("n2"));
  cluster.pods().update(name_space("batch", {{"team", "b"}}));
  cluster.pods().forget(alone.meta, TimePoint{});
  EXPECT_THAT(cluster.pods().review_anti_affinity(), ElementsAre(waiting));
  EXPECT_THAT(cluster.places(*waiting), ElementsAre("n1", "n2"));
}

TEST(NamespaceSelector, NeedsTheLabelsOfNamespacesOnlyWhereItNamesSome) {
  const auto needs = [](const std::string& fields) {
    return selects_namespaces(pod_of("n", "p", fmt::format(R"({{"topologyKey":"x"{}}})", fields), "n1"));
  };
  EXPECT_FALSE(needs(""));
  EXPECT_FALSE(needs(R"(,"namespaces":["a","b"])"));
  EXPECT_FALSE(needs(R"(,"namespaceSelector":null)"));
  EXPECT_FALSE(needs(R"(,"namespaceSelector":{})"));
  EXPECT_TRUE(needs(R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})"));
}

TEST(NamespaceDecoder, ReadsNameAndLabels) {
  const Result<Namespace> decoded = NamespaceDecoder().decode(
      R"({"kind":"Namespace","metadata":{"name":"etl","uid":"u","resourceVersion":"7","labels":{"team":"a","app":"x"},
      "managedFields":[{"manager":"kubectl"}]},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})");
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->meta, (ObjectMeta{"", "etl", "u", "7"}));
  EXPECT_EQ(decoded->labels, (TextMap{{"app", "x"}, {"team", "a"}}));
  EXPECT_FALSE(NamespaceDecoder().decode(R"({"metadata":{"name":"etl","labels":5}})"));
}

// ---- random clusters against a reading of its own ----

struct Requirement {
  std::string key, relation;
  std::set<std::string> values;
};
struct Term {
  std::set<std::string> namespaces;
  std::optional<std::vector<Requirement>> selector;
  std::string app;  // of the pods that it is about
};
struct Holder {
  std::string in, node;
  Term term;
};

// kube-scheduler's reading, written down again on plain maps.
bool matches(const std::vector<Requirement>& selector, const Labels& labels) {
  for (const Requirement& one : selector) {
    const auto found = labels.find(one.key);
    const bool there = found != labels.end(), listed = there && one.values.contains(found->second);
    if (one.relation == "In" && !listed) return false;
    if (one.relation == "NotIn" && listed) return false;
    if (one.relation == "Exists" && !there) return false;
    if (one.relation == "DoesNotExist" && there) return false;
  }
  return true;
}

bool keeps_out(const Holder& holder, const std::string& in, const std::map<std::string, Labels>& namespaces) {
  if (holder.term.namespaces.contains(in)) return true;
  if (!holder.term.selector) return holder.term.namespaces.empty() && holder.in == in;
  const auto known = namespaces.find(in);
  return known == namespaces.end() || matches(*holder.term.selector, known->second);
}

class DrawnCluster {
 public:
  explicit DrawnCluster(std::uint64_t seed) : random_(seed) {}

  std::string draw(const std::vector<std::string>& from) { return from[random_.below(from.size())]; }
  std::string draw_space() { return draw({"a", "b", "c", "d"}); }
  Labels draw_labels() {
    Labels labels;
    for (const char* key : {"team", "tier"})
      if (random_.below(3) > 0) labels[key] = draw({"x", "y", "z"});
    return labels;
  }
  Term draw_term() {
    Term term;
    term.app = draw({"web", "db"});
    for (std::uint64_t count = random_.below(3); count > 0; --count) term.namespaces.insert(draw_space());
    if (random_.below(4) == 0) return term;
    term.selector.emplace();
    for (std::uint64_t count = random_.below(3); count > 0; --count) {
      Requirement one{draw({"team", "tier"}), draw({"In", "NotIn", "Exists", "DoesNotExist"}), {}};
      if (one.relation.ends_with("In"))
        for (std::uint64_t values = 1 + random_.below(2); values > 0; --values)
          one.values.insert(draw({"x", "y", "z"}));
      term.selector->push_back(one);
    }
    return term;
  }
  static std::string list_of(const std::set<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += fmt::format(R"({}"{}")", list.empty() ? "" : ",", text);
    return '[' + list + ']';
  }
  std::string json_of(const Term& term) {
    std::string text =
        fmt::format(R"({{"topologyKey":"{}","labelSelector":{{"matchLabels":{{"app":"{}"}}}})", host, term.app);
    if (!term.namespaces.empty() || random_.below(2) == 0) text += ",\"namespaces\":" + list_of(term.namespaces);
    if (!term.selector) return text + '}';
    std::string requirements, labels;
    for (const Requirement& one : *term.selector)
      if (one.relation == "In" && one.values.size() == 1 && labels.empty())
        labels = fmt::format(R"("{}":"{}")", one.key, *one.values.begin());
      else
        requirements += fmt::format(R"({}{{"key":"{}","operator":"{}","values":{}}})", requirements.empty() ? "" : ",",
                                    one.key, one.relation, list_of(one.values));
    return text + fmt::format(R"(,"namespaceSelector":{{"matchLabels":{{{}}},"matchExpressions":[{}]}}}})", labels,
                              requirements);
  }

  void step() {
    switch (random_.below(6)) {
      case 0:
      case 1: {
        const std::string name = draw_space();
        namespaces_[name] = draw_labels();
        return cluster_.pods().update(name_space(name, namespaces_[name]));
      }
      case 2: {
        const std::string name = draw_space();
        namespaces_.erase(name);
        return cluster_.pods().forget_namespace(name);
      }
      case 3:
      case 4: {
        const std::string name = draw({"h1", "h2", "h3"});
        const Holder holder{draw_space(), draw({"n1", "n2"}), draw_term()};
        end(name);
        holders_[name] = holder;
        cluster_.pods().update(pod_of(holder.in, name, json_of(holder.term), holder.node, {}), TimePoint{});
        return;
      }
      default:
        return end(draw({"h1", "h2", "h3"}));
    }
  }
  void check() {
    cluster_.pods().review_anti_affinity();
    for (const auto& [key, record] : waiting_) {
      std::vector<std::string> expected;
      for (const char* node : {"n1", "n2"})
        if (std::none_of(holders_.begin(), holders_.end(), [&](const auto& entry) {
              const Holder& holder = entry.second;
              return holder.node == node && holder.term.app == key.second && keeps_out(holder, key.first, namespaces_);
            }))
          expected.emplace_back(node);
      EXPECT_EQ(cluster_.places(*record), expected) << key.second << " in " << key.first;
    }
  }
  void add_waiting() {
    for (const char* in : {"a", "b", "c", "d"})
      for (const char* app : {"web", "db"})
        waiting_[{in, app}] = cluster_.pods().update(pod_of(in, app, "", "", {{"app", app}}), TimePoint{}).record;
  }

 private:
  void end(const std::string& name) {
    const auto gone = holders_.find(name);
    if (gone == holders_.end()) return;
    cluster_.pods().forget({gone->second.in, name, gone->second.in + name, "1"}, TimePoint{});
    holders_.erase(gone);
  }

  Random random_;
  SomeCluster cluster_;
  std::map<std::string, Labels> namespaces_;
  std::map<std::string, Holder> holders_;
  std::map<std::pair<std::string, std::string>, PodRecord*> waiting_;
};

TEST(NamespaceSelector, KeepsOutExactlyThePodsThatAReadingOfItsOwnKeepsOut) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    DrawnCluster drawn(seed);
    drawn.add_waiting();
    for (int step = 0; step < 40; ++step) {
      drawn.step();
      if (step % 3 == 0) drawn.check();  // changes are reviewed one by one, and several at once
      if (testing::Test::HasFailure()) return;
    }
    drawn.check();
  }
}

}  // namespace
}  // namespace lips::kubernetes
