#include "base/enum_array.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

namespace lips {
namespace {

enum class Colour : std::uint8_t { red, green, blue };
enum class Shape : std::uint8_t { circle, square };
enum Plain : std::uint8_t { plain_1, plain_22 };

template <class Array, class Index>
concept IndexedBy = requires(Array array, Index index) { array[index]; };

template <class... Values>
concept NamesOfColours = requires(Values... values) { EnumArray<Colour, std::string_view>(values...); };

TEST(EnumArray, HasAnElementForEachEnumeratorAndNoMore) {
  static_assert(enum_size<Colour> == 3 && enum_size<Shape> == 2 && enum_size<Plain> == 2);
  static_assert(EnumArray<Colour, int>::size() == 3);
  EXPECT_EQ(std::vector<Colour>(enumerators<Colour>.begin(), enumerators<Colour>.end()),
            (std::vector<Colour>{Colour::red, Colour::green, Colour::blue}));
}

TEST(EnumArray, IsIndexedByItsOwnEnumAlone) {
  static_assert(IndexedBy<EnumArray<Colour, int>, Colour>);
  static_assert(!IndexedBy<EnumArray<Colour, int>, Shape>);
  static_assert(!IndexedBy<EnumArray<Colour, int>, std::size_t>);
  static_assert(!IndexedBy<EnumArray<Colour, int>, int>);
  EnumArray<Colour, int> counts;
  ++counts[Colour::blue];
  counts[Colour::red] += 2;
  EXPECT_EQ(counts[Colour::red], 2);
  EXPECT_EQ(counts[Colour::green], 0);
  EXPECT_EQ(counts[Colour::blue], 1);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 3);
}

TEST(EnumArray, IsGivenAllElementsOrNone) {
  static_assert(NamesOfColours<const char*, const char*, const char*>);
  static_assert(NamesOfColours<>);
  static_assert(!NamesOfColours<const char*, const char*>);
  static_assert(!NamesOfColours<const char*, const char*, const char*, const char*>);
  constexpr EnumArray<Colour, std::string_view> names{"red", "green", "blue"};
  EXPECT_EQ(names[Colour::green], "green");
  EXPECT_EQ((EnumArray<Shape, int>{1, 2}), (EnumArray<Shape, int>(1, 2)));
  EXPECT_NE((EnumArray<Shape, int>{1, 2}), (EnumArray<Shape, int>()));
}

}  // namespace
}  // namespace lips
