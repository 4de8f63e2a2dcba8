// Strong ids, and vectors that only their own id may index.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace lips {

template <class Tag>
class Id {
 public:
  static constexpr std::uint32_t none_value = std::numeric_limits<std::uint32_t>::max();
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_(index) {}
  static constexpr Id none() { return Id(); }
  constexpr std::uint32_t index() const { return index_; }
  constexpr bool valid() const { return index_ != none_value; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = none_value;
};

using ZoneId = Id<struct ZoneTag>;
using RackId = Id<struct RackTag>;
using NodeId = Id<struct NodeTag>;
using OfferId = Id<struct OfferTag>;
using LimitId = Id<struct LimitTag>;  // of nodes to be launched
using StoreId = Id<struct StoreTag>;
using DataSetId = Id<struct DataSetTag>;
using BlockId = Id<struct BlockTag>;  // over all data sets
using PoolId = Id<struct PoolTag>;
using JobId = Id<struct JobTag>;
using WholeJobId = Id<struct WholeJobTag>;
using TaskId = Id<struct TaskTag>;  // over all jobs
using MoveId = Id<struct MoveTag>;

template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}
  explicit IdVector(std::vector<T> items) : items_(std::move(items)) {}

  typename std::vector<T>::reference operator[](IdType id) { return items_[id.index()]; }
  typename std::vector<T>::const_reference operator[](IdType id) const { return items_[id.index()]; }
  IdType push_back(T value) {
    items_.push_back(std::move(value));
    return IdType(static_cast<std::uint32_t>(items_.size() - 1));
  }
  bool contains(IdType id) const { return id.index() < items_.size(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(std::size_t size, const T& value = T()) { items_.resize(size, value); }
  void assign(std::size_t size, const T& value) { items_.assign(size, value); }
  void reserve(std::size_t size) { items_.reserve(size); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const std::vector<T>& items() const { return items_; }
  friend bool operator==(const IdVector&, const IdVector&) = default;

  // for (NodeId node : nodes.ids())
  struct Ids {
    std::uint32_t size;
    struct Iterator {
      std::uint32_t index;
      IdType operator*() const { return IdType(index); }
      Iterator& operator++() { return ++index, *this; }
      bool operator==(const Iterator&) const = default;
    };
    Iterator begin() const { return {0}; }
    Iterator end() const { return {size}; }
  };
  Ids ids() const { return {static_cast<std::uint32_t>(items_.size())}; }

 private:
  std::vector<T> items_;
};

}  // namespace lips

template <class Tag>
struct std::hash<lips::Id<Tag>> {
  std::size_t operator()(lips::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index()); }
};
