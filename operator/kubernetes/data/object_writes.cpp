#include "kubernetes/data/object_writes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "kubernetes/api/too_large.h"

namespace lips::kubernetes {
namespace {
constexpr Duration hold_after_success = std::chrono::seconds(5);
constexpr Duration longest_pause = std::chrono::seconds(30);
constexpr Duration said_again_after = std::chrono::minutes(10);

// The index of a write that changes an object; none: it does not.
std::optional<std::size_t> update_of(const ApiRequest& request) {
  if (request.verb != Verb::update && request.verb != Verb::patch) return std::nullopt;
  return std::hash<std::string>()(request.path + '\n' + request.body);
}
}  // namespace

ObjectWrites::ObjectWrites(ApiClient& client, std::function<bool()> may_act, std::function<void()> wake)
    : client_(client), may_act_(std::move(may_act)), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->wake = std::move(wake);
}

bool ObjectWrites::free(const std::string& object, TimePoint now) const {
  if (under_way_.contains(object) || just_answered_.contains(object)) return false;
  const auto pause = pauses_.find(object);
  return pause == pauses_.end() || now >= pause->second.until;
}

void ObjectWrites::send(const std::string& object, ApiRequest request, std::function<void(const Answer&)> done) {
  const std::optional<std::size_t> update = update_of(request);
  const auto refused = too_large_.find(object);
  if (update && refused != too_large_.end() && refused->second.content == *update) return;
  request.still_wanted = may_act_;
  under_way_[object] = {request.verb, update, std::move(done)};
  client_.start(std::move(request), [mailbox = mailbox_, object](Answer answer) {
    mailbox->arrived.push_back({object, std::move(answer)});
    if (mailbox->wake) mailbox->wake();
  });
}

bool ObjectWrites::say(const std::string& object, std::string_view matter, const std::string& content,
                       ApiRequest request, std::function<void(const Answer&)> done) {
  const std::string key = object + ' ' + std::string(matter);
  const std::size_t hash = std::hash<std::string>()(content);
  if (const auto before = said_.find(key); before != said_.end() && before->second.content == hash) return false;
  send(object, std::move(request), [this, key, hash, done = std::move(done)](const Answer& answer) {
    if (answer) said_[key] = {hash, now_};
    if (done) done(answer);
  });
  return true;
}

void ObjectWrites::end_hold(const std::string& object) {
  const auto pause = pauses_.find(object);
  if (pause != pauses_.end() && pause->second.failures == 0) pauses_.erase(pause);
}

void ObjectWrites::pause(const std::string& object, int failures, TimePoint now) {
  const auto span = std::chrono::milliseconds(200) * (1 << std::min(failures, 8));
  pauses_[object] = {now + std::min<Duration>(span, longest_pause), failures + 1};
}

// Says whether the server may have kept the update that it has accepted.
bool ObjectWrites::keeps(const std::string& object, const UnderWay& done, TimePoint now) {
  if (!done.update) return true;
  Accepted& before = accepted_[object];
  const bool again = before.at != TimePoint{} && before.update == *done.update;
  before = {*done.update, now, again ? before.again + 1 : 0};
  return !again;
}

void ObjectWrites::collect(TimePoint now) {
  const std::vector<Arrived> arrived = std::exchange(mailbox_->arrived, {});
  just_answered_.clear();
  now_ = now;
  for (const Arrived& each : arrived) {
    just_answered_.insert(each.object);
    auto done = under_way_.extract(each.object);
    if (done.empty()) continue;
    const bool creates = done.mapped().verb == Verb::create, removes = done.mapped().verb == Verb::remove;
    // 409 to a creation: the object exists. 404 to a deletion: it is gone; to a creation: there is no such namespace.
    const bool settled = each.answer || ((creates || removes) && each.answer.error().code == ErrorCode::conflict) ||
                         (removes && each.answer.error().code == ErrorCode::not_found);
    if (settled && (creates || removes)) {
      pauses_[each.object] = {now + hold_after_success, 0};
    } else if (settled && keeps(each.object, done.mapped(), now)) {
      pauses_.erase(each.object);
    } else {
      const auto before = pauses_.find(each.object);
      const int failures = settled                   ? accepted_.at(each.object).again
                           : before == pauses_.end() ? 0
                                                     : before->second.failures;
      pause(each.object, failures, now);
    }
    if (!each.answer && done.mapped().update && is_too_large(each.answer.error()))
      too_large_[each.object] = {*done.mapped().update, now};
    if (done.mapped().done) done.mapped().done(each.answer);
  }
  // Forgets writes that failed without a retry, creations and deletions after a while: their names do not return.
  std::erase_if(pauses_, [now](const auto& pause) { return now - pause.second.until > longest_pause; });
  std::erase_if(accepted_, [now](const auto& update) { return now - update.second.at > 2 * longest_pause; });
  std::erase_if(too_large_, [now](const auto& said) { return now - said.second.at > said_again_after; });
  std::erase_if(said_, [now](const auto& said) { return now - said.second.at > said_again_after; });
  if (!arrived.empty() && mailbox_->wake) mailbox_->wake();
}

}  // namespace lips::kubernetes
