// The members of a plain struct, each with the name that files and messages give it. A struct says the names once,
// beside its members: `static constexpr auto fields = field_names("task", "node");`. Digests, files, annotations and
// the comparers of tests are made from that, and a list that is shorter or longer than the struct does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace lips {

template <class... Names>
consteval std::array<std::string_view, sizeof...(Names)> field_names(Names... names) {
  return {names...};
}

template <class T>
concept Described = requires { std::remove_cvref_t<T>::fields.size(); };

// The members as a tuple of references. C++20 cannot bind a pack of names, so each number of members has a line.
template <class T>
  requires Described<T>
constexpr auto members(T& value) {
  constexpr std::size_t count = std::remove_const_t<T>::fields.size();
#define LIPS_MEMBERS(size, ...)   \
  if constexpr (count == size) {  \
    auto& [__VA_ARGS__] = value;  \
    return std::tie(__VA_ARGS__); \
  }
  LIPS_MEMBERS(1, a)
  LIPS_MEMBERS(2, a, b)
  LIPS_MEMBERS(3, a, b, c)
  LIPS_MEMBERS(4, a, b, c, d)
  LIPS_MEMBERS(5, a, b, c, d, e)
  LIPS_MEMBERS(6, a, b, c, d, e, f)
  LIPS_MEMBERS(7, a, b, c, d, e, f, g)
  LIPS_MEMBERS(8, a, b, c, d, e, f, g, h)
  LIPS_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  LIPS_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  LIPS_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  LIPS_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  LIPS_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  LIPS_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  LIPS_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  LIPS_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  LIPS_MEMBERS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  LIPS_MEMBERS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  LIPS_MEMBERS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  LIPS_MEMBERS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  LIPS_MEMBERS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  LIPS_MEMBERS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  LIPS_MEMBERS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  LIPS_MEMBERS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
  LIPS_MEMBERS(25, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
  LIPS_MEMBERS(26, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z)
  LIPS_MEMBERS(27, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A)
  LIPS_MEMBERS(28, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B)
  LIPS_MEMBERS(29, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C)
  LIPS_MEMBERS(30, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D)
  LIPS_MEMBERS(31, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E)
  LIPS_MEMBERS(32, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F)
  LIPS_MEMBERS(33, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G)
  LIPS_MEMBERS(34, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H)
#undef LIPS_MEMBERS
  static_assert(count > 0 && count <= 34, "one more line above");
}

// Calls visit(name, member) for each member, in order.
template <class T, class Visit>
  requires Described<T>
constexpr void each_field(T& value, Visit&& visit) {
  std::apply(
      [&](auto&... member) {
        std::size_t i = 0;
        (visit(std::remove_const_t<T>::fields[i++], member), ...);
      },
      members(value));
}

}  // namespace lips
