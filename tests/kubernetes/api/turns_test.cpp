#include "kubernetes/api/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lips::kubernetes {
namespace {

using Texts = std::vector<std::string>;

Texts granted(Turns<std::string>& turns, std::size_t room) {
  Texts result;
  turns.grant([&](const std::string& wish) {
    if (result.size() == room) return false;
    result.push_back(wish);
    return true;
  });
  return result;
}

TEST(Turns, GoRoundTheNamespaces) {
  Turns<std::string> turns;
  for (const char* wish : {"a1", "a2", "a3", "a4"}) turns.add("a", wish);
  turns.add("b", "b1");
  for (const char* wish : {"c1", "c2"}) turns.add("c", wish);
  EXPECT_EQ(granted(turns, 5), (Texts{"a1", "b1", "c1", "a2", "c2"}));
  EXPECT_EQ(granted(turns, 5), Texts{}) << "what was not granted is asked for again";
}

TEST(Turns, BeginWithTheNamespaceThatWouldHaveBeenNext) {
  Turns<std::string> turns;
  Texts all;
  for (int i = 0; i < 4; ++i) {
    for (const char* name_space : {"a", "b", "c"}) turns.add(name_space, name_space);
    for (std::string& wish : granted(turns, 1)) all.push_back(std::move(wish));
  }
  EXPECT_EQ(all, (Texts{"a", "b", "c", "a"})) << "with room for one of three each has its turn";
}

TEST(Turns, GrantWhatIsNewBeforeRepetitions) {
  Turns<std::string> turns;
  turns.add("a", "old", true);
  turns.add("z", "new");
  EXPECT_EQ(granted(turns, 1), Texts{"new"});
  turns.add("a", "old", true);
  turns.add("z", "new");
  EXPECT_EQ(granted(turns, 2), (Texts{"new", "old"}));
}

TEST(Turns, KeepNoMoreOfANamespaceThanCanBeGranted) {
  Turns<std::string> turns(2);
  for (const char* wish : {"a1", "a2", "a3"}) turns.add("a", wish);
  turns.add("b", "b1");
  EXPECT_EQ(granted(turns, 10), (Texts{"a1", "b1", "a2"}));
}

TEST(Turns, GrantAsManyAtOnceAsThereMayBe) {
  Turns<std::string> turns(2);
  for (int i = 0; i < 2; ++i) {
    for (const char* name_space : {"a", "b", "c"}) turns.add(name_space, name_space);
    Texts all;
    turns.grant_most([&](const std::string& wish) { all.push_back(wish); });
    EXPECT_EQ(all, i == 0 ? (Texts{"a", "b"}) : (Texts{"c", "a"}));
  }
}

}  // namespace
}  // namespace lips::kubernetes
