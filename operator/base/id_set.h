// A set of ids of one kind as bits, all below a size that is known at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lips {

template <class IdType>
class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(std::size_t size) : size_(size), words_((size + bits - 1) / bits) {}
  static IdSet all(std::size_t size) { return IdSet(size).complement(); }

  bool contains(IdType id) const { return words_[id.index() / bits] >> (id.index() % bits) & 1; }
  void insert(IdType id) { words_[id.index() / bits] |= std::uint64_t{1} << (id.index() % bits); }

  // Sets of the same size.
  IdSet& operator|=(const IdSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  IdSet& operator&=(const IdSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  IdSet& operator-=(const IdSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  IdSet complement() const {
    IdSet result = *this;
    for (std::uint64_t& word : result.words_) word = ~word;
    if (size_ % bits > 0) result.words_.back() &= (std::uint64_t{1} << (size_ % bits)) - 1;
    return result;
  }

 private:
  static constexpr std::size_t bits = 64;  // of a word
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace lips
