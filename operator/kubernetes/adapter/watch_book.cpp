#include "kubernetes/adapter/watch_book.h"

#include <algorithm>
#include <utility>

namespace lips::kubernetes {

namespace {

// Servers end their words with a line's end.
std::string on_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

class WatchBook::Notes : public ObjectSink {
 public:
  Notes(WatchBook& book, Watch& watch, ObjectSink& to) : book_(book), watch_(watch), to_(to) {}

  void changed(const ObjectMeta& meta, std::string_view json) override { to_.changed(meta, json); }
  void deleted(const ObjectMeta& meta) override { to_.deleted(meta); }
  void complete(std::uint64_t request) override {
    to_.complete(request);  // first: who reads the book finds what was listed
    note([](Watch& watch) { watch.listed = true; });
  }
  void heard() override {
    to_.heard();
    note([](Watch&) {});
  }
  void set_back(const SetBack& news) override {
    to_.set_back(news);
    if (!book_.set_back_) book_.set_back_ = news;
  }
  void failed(const Error& error) override {
    // A watch that has been listed breaks often and begins again; until then nothing is missing.
    if (!watch_.listed || is_refusal(error)) watch_.why = on_one_line(error.message);
    if (is_refusal(error) && !watch_.refused_since) watch_.refused_since = book_.now_();
    to_.failed(error);
  }
  void not_watched(const Error& error) override {
    if (!watch_.not_watched) watch_.not_watched = Lack{watch_.kind, "", book_.now_()};
    watch_.not_watched->why = "changes are seen up to half a minute late (" + on_one_line(error.message) + ")";
    to_.not_watched(error);
  }
  void watched_again() override {
    to_.watched_again();
    watch_.not_watched.reset();
  }

 private:
  template <class Change>
  void note(Change change) {
    change(watch_);
    watch_.heard = book_.now_();
    watch_.why.clear();
    watch_.refused_since.reset();
  }

  WatchBook& book_;
  Watch& watch_;
  ObjectSink& to_;
};

std::unique_ptr<ObjectSink> WatchBook::enter(const std::string& path, const WatchAbout& about, ObjectSink& to) {
  watches_.push_back(std::make_unique<Watch>(Watch{path, kind_of_path(path), about, now_()}));
  return std::make_unique<Notes>(*this, *watches_.back(), to);
}

void WatchBook::leave(const std::string& path) {
  std::erase_if(watches_, [&](const auto& watch) { return watch->path == path; });
}

std::optional<SetBack> WatchBook::take_set_back() { return std::exchange(set_back_, std::nullopt); }

bool WatchBook::is_refused(const Watch& watch) const {
  return watch.refused_since && now_() - *watch.refused_since >= patience_;
}

bool WatchBook::is_awaited(const Watch& watch) const {
  if (watch.about.need == WatchNeed::welcome) return false;
  if (watch.about.need == WatchNeed::needed) return !watch.listed || is_refused(watch);
  return !watch.listed && !is_refused(watch);
}

Lack WatchBook::lack(const Watch& watch) const {
  std::string why = watch.why.empty() ? "no answer yet" : watch.why;
  if (watch.about.need != WatchNeed::needed && !watch.about.without.empty())
    why = std::string(watch.about.without) + " (" + why + ")";
  return {watch.kind, std::move(why), watch.refused_since.value_or(watch.began)};
}

bool WatchBook::awaits_any() const {
  return std::any_of(watches_.begin(), watches_.end(), [this](const auto& watch) { return is_awaited(*watch); });
}

std::vector<Lack> WatchBook::awaited() const {
  std::vector<Lack> result;
  for (const auto& watch : watches_)
    if (is_awaited(*watch) && now_() - watch->refused_since.value_or(watch->began) >= patience_)
      result.push_back(lack(*watch));
  return result;
}

std::vector<Lack> WatchBook::missing() const {
  std::vector<Lack> result;
  for (const auto& watch : watches_) {
    if (watch->about.need != WatchNeed::needed && is_refused(*watch)) result.push_back(lack(*watch));
    if (watch->not_watched && now_() - watch->not_watched->since >= patience_) result.push_back(*watch->not_watched);
  }
  return result;
}

bool WatchBook::refuses(std::string_view part_of_path) const {
  return std::any_of(watches_.begin(), watches_.end(), [&](const auto& watch) {
    return watch->refused_since && watch->path.find(part_of_path) != std::string::npos;
  });
}

std::vector<WatchStatus> WatchBook::all() const {
  std::vector<WatchStatus> result;
  for (const auto& watch : watches_) {
    using enum WatchStatus::State;
    const WatchStatus::State state = watch->refused_since ? refused : watch->listed ? listed : awaited;
    result.push_back({watch->kind, state, watch->why, watch->heard});
  }
  return result;
}

std::string kind_of_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  if (parts.empty()) return std::string(path);
  std::string kind(parts.back());
  if (parts.size() > 2 && parts[0] == "apis") kind += '.' + std::string(parts[1]);
  const auto place = std::find(parts.begin(), parts.end(), "namespaces");
  if (place != parts.end() && place + 1 != parts.end()) kind += " in " + std::string(place[1]);
  return kind;
}

}  // namespace lips::kubernetes
