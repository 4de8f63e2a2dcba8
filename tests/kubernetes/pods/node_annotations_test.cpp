#include "kubernetes/pods/node_annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

Node node_priced(const std::string& text) {
  Node node;
  node.meta.name = "n";
  node.annotations = {{"lips.dev/usd-per-hour", text}};
  return node;
}

TEST(NodeAnnotations, RefuseAPriceThatMakesNoSenseInWords) {
  for (const char* wrong : {"0,2", "$0.20", "-1", "", "nan", "inf", "1e9", "0.2 USD"}) {
    EXPECT_EQ(stated_price(node_priced(wrong)), std::nullopt) << wrong;
    EXPECT_THAT(wrong_note(node_priced(wrong)), HasSubstr(std::string("lips.dev/usd-per-hour: found '") + wrong + "'; allowed: a number")) << wrong;
  }
  for (const char* right : {"0.2", "0", "1e-3"}) {
    EXPECT_TRUE(stated_price(node_priced(right))) << right;
    EXPECT_EQ(wrong_note(node_priced(right)), "") << right;
  }
  Node node;
  EXPECT_EQ(wrong_note(node), "");
  node.labels = {{"lips.dev/fleet", "elastic"}};
  EXPECT_EQ(wrong_note(node), "");
  node.labels = {{"lips.dev/fleet", "spot"}};
  EXPECT_EQ(wrong_note(node), "lips.dev/fleet: found 'spot'; allowed: fixed, elastic");
}

TEST(NodeAnnotations, AreSaidOnceUntilTheyChange) {
  WrongNotes notes;
  EXPECT_EQ(notes.fresh(node_priced("0.2")), "");
  EXPECT_THAT(notes.fresh(node_priced("$1")), HasSubstr("'$1'"));
  EXPECT_EQ(notes.fresh(node_priced("$1")), "") << "it was heard of again";
  EXPECT_THAT(notes.fresh(node_priced("$2")), HasSubstr("'$2'"));
  EXPECT_EQ(notes.fresh(node_priced("2")), "");
  EXPECT_THAT(notes.fresh(node_priced("$2")), HasSubstr("'$2'"));
  notes.forget("n");
  EXPECT_THAT(notes.fresh(node_priced("$2")), HasSubstr("'$2'")) << "a new node of that name";
}

}  // namespace
}  // namespace lips::kubernetes
