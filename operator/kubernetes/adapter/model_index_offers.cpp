// The offers of a listing between two listings: what is left of them, what is sold out, and what they would hold.
#include <algorithm>
#include <utility>

#include "kubernetes/adapter/model_index.h"

namespace lips::kubernetes {

void ModelIndex::limit_launches(const LaunchLimits& now, std::vector<ClusterEvent>& events) {
  const bool news = review_sold_out();
  if (now == limits_ && !news) return;
  limits_ = now;
  OffersChanged changed{{}, now};
  for (const KnownOffer& offer : offers_) changed.left.push_back(offer.left());
  events.emplace_back(std::move(changed));
}

// A type that is too small for the order may still be had.
bool ModelIndex::review_sold_out() {
  if (!settings_.sold_out) return false;
  const std::vector<NodeOrder> in_vain = settings_.sold_out();
  bool news = false;
  for (KnownOffer& offer : offers_) {
    const bool sold_out = std::any_of(in_vain.begin(), in_vain.end(), [&](const NodeOrder& order) {
      return order.place == offer.place && would_hold(order.needs, offer);
    });
    news = news || sold_out != offer.sold_out;
    offer.sold_out = sold_out;
  }
  return news;
}

Duration ModelIndex::longest_boot() const {
  Duration longest{};
  for (const KnownOffer& offer : offers_) longest = std::max(longest, offer.entry.boot);
  return longest;
}

std::size_t ModelIndex::sold_out() const {
  return static_cast<std::size_t>(
      std::count_if(offers_.begin(), offers_.end(), [](const KnownOffer& offer) { return offer.sold_out; }));
}

bool ModelIndex::would_hold(const PodNeeds& needs, const KnownOffer& offer) const {
  return fits(request(needs), offer.capacity) && eligible(needs.placement(), offer.profile);
}

bool ModelIndex::fits_an_offer(const PodNeeds& needs) const {
  return std::any_of(offers_.begin(), offers_.end(), [&](const KnownOffer& offer) { return would_hold(needs, offer); });
}

}  // namespace lips::kubernetes
