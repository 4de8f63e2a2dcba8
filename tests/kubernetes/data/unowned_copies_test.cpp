#include "kubernetes/data/unowned_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

TimePoint at(int hour) { return TimePoint(std::chrono::hours(hour)); }

TEST(UnownedCopies, AreReadFromAWholeListAlone) {
  const auto folders = read_copy_folders("etl/books/u2\t3\t400\netl/a b\tc/u1\t1\t0\ncomplete\n");
  ASSERT_TRUE(folders) << folders.error().message;
  ASSERT_EQ(folders->size(), 2u);
  EXPECT_EQ((*folders)[0].path, "etl/a b\tc/u1");
  EXPECT_EQ((*folders)[1].files, 3);
  EXPECT_EQ((*folders)[1].bytes, 400);
  EXPECT_TRUE(read_copy_folders("complete\n")->empty());
  EXPECT_THAT(read_copy_folders("").error().message, HasSubstr("without its last line"));
  EXPECT_THAT(read_copy_folders("etl/books/u2\t3\t400\n").error().message, HasSubstr("ends after 1 folders"));
  for (const char* line :
       {"etl/books/u2\t3\n", "etl/books/u2\t3\tmany\n", "\t3\t4\n", "u\t-1\t4\n", "complete\nu\t1\t"})
    EXPECT_FALSE(read_copy_folders(std::string(line) + "complete\n")) << line;
}

TEST(UnownedCopies, AreThoseWhoseUidDoesNotExist) {
  const Owners owners{"u1", "m1"};
  EXPECT_TRUE(is_owned("etl/books/u1", owners));
  EXPECT_FALSE(is_owned("etl/books/u2", owners));
  EXPECT_FALSE(is_owned("u1/books/u2", owners)) << "a namespace's name is no uid";
  EXPECT_FALSE(is_owned("a file", owners));
  EXPECT_TRUE(is_owned("moving/m1/3", owners)) << "a move that is there";
  EXPECT_FALSE(is_owned("moving/m2/3", owners));
  EXPECT_TRUE(is_owned("moving/books/u1", owners)) << "a namespace may have that name";
}

TEST(UnownedCopies, KeepTheTimeWhenTheyWereFirstSeen) {
  const Owners owners{"live"};
  const auto folder = [](const std::string& uid) { return CopyFolder{"n/s/" + uid, 2, 10}; };
  UnownedCopies found = unowned_among({folder("b"), folder("live")}, owners, std::nullopt, at(1));
  EXPECT_EQ(found.copies, 2);
  found = unowned_among({folder("a"), folder("b"), folder("live")}, owners, found, at(2));
  EXPECT_EQ(found.looked, at(2));
  EXPECT_EQ(found.copies, 4);
  EXPECT_EQ(found.bytes, 20);
  EXPECT_THAT(found.examples, ElementsAre(UnownedFolder{"lips-copies/n/s/b", 2, 10, at(1)},
                                          UnownedFolder{"lips-copies/n/s/a", 2, 10, at(2)}));
  EXPECT_TRUE(unowned_among({}, owners, found, at(3)).examples.empty());
}

TEST(UnownedCopies, AreCountedInFullAndNamedInPart) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<CopyFolder> folders;
    std::int64_t files = 0;
    for (std::uint64_t i = random.below(60); i > 0; --i) {
      folders.push_back({"n/s/" + std::to_string(random.below(1000) + 1000 * i) + std::string(i == 9 ? 2000 : 0, 'x'),
                         static_cast<std::int64_t>(random.below(9)), std::int64_t{1} << 62});
      files += folders.back().files;
    }
    const UnownedCopies found = unowned_among(folders, {}, std::nullopt, at(1));
    EXPECT_EQ(found.copies, files);
    EXPECT_GE(found.bytes, 0) << "sums do not overflow";
    EXPECT_LE(found.examples.size(), most_unowned_examples);
    for (const UnownedFolder& each : found.examples) EXPECT_LE(each.path.size(), 1024u) << "as the schema allows";
    // The examples are the same again, whatever comes before them by path.
    folders.push_back({"a/a/a", 1, 1});
    const UnownedCopies again = unowned_among(folders, {}, found, at(2));
    for (std::size_t i = 0; i < found.examples.size(); ++i) EXPECT_EQ(again.examples[i], found.examples[i]);
  }
}

}  // namespace
}  // namespace lips::kubernetes
