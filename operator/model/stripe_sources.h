// The sources from which a degraded task decodes its lost block. Without sources, as in nearly every assignment, the
// value is as large as a pointer.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/data.h"

namespace lips {

class StripeSources {
 public:
  StripeSources() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a vector becomes one wherever it is handed over
  StripeSources(std::vector<StripeSource> sources) {
    if (!sources.empty()) held_ = std::make_unique<const std::vector<StripeSource>>(std::move(sources));
  }
  StripeSources(const StripeSources& other) { *this = other; }
  StripeSources(StripeSources&&) noexcept = default;
  StripeSources& operator=(const StripeSources& other) {
    if (this != &other) held_ = other.held_ ? std::make_unique<const std::vector<StripeSource>>(*other.held_) : nullptr;
    return *this;
  }
  StripeSources& operator=(StripeSources&&) noexcept = default;
  ~StripeSources() = default;

  bool empty() const { return !held_; }
  std::size_t size() const { return span().size(); }
  auto begin() const { return span().begin(); }
  auto end() const { return span().end(); }
  const StripeSource& operator[](std::size_t i) const { return (*held_)[i]; }
  // NOLINTNEXTLINE(google-explicit-constructor): readers take a span, as of a vector
  operator std::span<const StripeSource>() const { return span(); }
  friend bool operator==(const StripeSources& a, const StripeSources& b) {
    return a.held_ && b.held_ ? *a.held_ == *b.held_ : a.held_ == b.held_;
  }

 private:
  std::span<const StripeSource> span() const {
    return held_ ? std::span<const StripeSource>(*held_) : std::span<const StripeSource>();
  }

  std::unique_ptr<const std::vector<StripeSource>> held_;  // never empty
};

}  // namespace lips
