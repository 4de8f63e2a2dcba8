#include "policies/lips/placing/quota_queue.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace lips {

QuotaQueue::QuotaQueue(std::vector<Quota> quotas, const Demands& demands)
    : quotas_(std::move(quotas)), in_lane_(quotas_.size(), none) {
  std::unordered_map<std::uint32_t, std::uint32_t> last;
  for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
    if (quotas_[i].tasks == 0) continue;
    const auto [before, first] = last.try_emplace(demands[quotas_[i].portion].lane, i);
    if (first) {
      heads_.push_back(i);
    } else {
      in_lane_[before->second] = i;
      before->second = i;
    }
  }
}

std::vector<Quota> QuotaQueue::left() && {
  std::erase_if(quotas_, [](const Quota& quota) { return quota.tasks == 0; });
  return std::move(quotas_);
}

std::uint32_t QuotaQueue::after(std::uint32_t i) const {
  do i = in_lane_[i];
  while (i != none && quotas_[i].tasks == 0);
  return i;
}

void QuotaQueue::restart() {
  unseen_ = 0;
  open_.clear();
}

std::uint32_t QuotaQueue::next() {
  while (unseen_ < heads_.size() && (open_.empty() || heads_[unseen_] < open_.front())) {
    open_.push_back(heads_[unseen_++]);
    std::push_heap(open_.begin(), open_.end(), std::greater<>());
  }
  return open_.empty() ? none : open_.front();
}

void QuotaQueue::skip() {
  const std::uint32_t following = after(open_.front());
  skip_lane();
  if (following == none) return;
  open_.push_back(following);
  std::push_heap(open_.begin(), open_.end(), std::greater<>());
}

void QuotaQueue::skip_lane() {
  std::pop_heap(open_.begin(), open_.end(), std::greater<>());
  open_.pop_back();
}

void QuotaQueue::settle(std::uint32_t i) {
  restart();
  if (quotas_[i].tasks > 0) return;
  auto head = std::lower_bound(heads_.begin(), heads_.end(), i);
  if (head == heads_.end() || *head != i) return;
  const std::uint32_t following = after(i);
  const auto to = following == none ? heads_.end() : std::lower_bound(head, heads_.end(), following);
  std::move(head + 1, to, head);
  following == none ? heads_.pop_back() : void(*(to - 1) = following);
}

}  // namespace lips
