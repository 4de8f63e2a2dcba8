#include "kubernetes/adapter/restore_guard.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/config_map.h"
#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {
namespace {

constexpr const char* restore_key = "restore";
constexpr Duration ask_every{5'000'000};  // while something is suspended
// Every informer notices it by a list of its own.
constexpr Duration same_news{120'000'000};
// Replicas notice it apart from each other, by clocks that differ a little.
constexpr Duration same_news_elsewhere{600'000'000};

std::string annotation_in(const std::string& object, const char* name) {
  const auto json = nlohmann::json::parse(object, nullptr, false);
  const auto at = nlohmann::json::json_pointer("/metadata/annotations");
  if (!json.is_object() || !json.contains(at) || !json[at].is_object()) return "";
  const auto found = json[at].find(name);
  return found != json[at].end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string RestoreGuard::Record::id() const { return fmt::format("{}-{}", before, found); }
std::string RestoreGuard::Record::text() const { return time_text(noticed) + ' ' + id(); }

std::optional<RestoreGuard::Record> RestoreGuard::read_record(const std::string& text) {
  const std::size_t space = text.find(' '), dash = text.find('-', space == std::string::npos ? 0 : space);
  if (space == std::string::npos || dash == std::string::npos) return std::nullopt;
  const auto noticed = parse_time(text.substr(0, space));
  const Record record{noticed.value_or(TimePoint()), version_number(text.substr(space + 1, dash - space - 1)),
                      version_number(text.substr(dash + 1))};
  if (!noticed || record.before == 0 || record.found == 0) return std::nullopt;
  return record;
}

RestoreGuard::RestoreGuard(Surroundings around, KeptShares::Place place)
    : around_(std::move(around)), place_(std::move(place)), known_(place_.name.empty()) {}

std::string RestoreGuard::why() const {
  if (!record_ || confirmed_) return "";
  const std::string what = fmt::format(
      "the API server's store went back at {}, as after a restored backup: version {} was seen, and then {}. "
      "Moves and drops of data wait until a person has looked (docs/runbooks.md#after-a-restore)",
      time_text(record_->noticed), record_->before, record_->found);
  if (place_.name.empty()) return what + " and restarts the operator";
  return what + fmt::format(" and confirms: kubectl annotate --overwrite configmap --namespace {} {} {}={}",
                            place_.name_space, place_.name, restore_checked_annotation, record_->id());
}

bool RestoreGuard::noticed(const SetBack& news, TimePoint now) {
  if (record_ && now - record_->noticed < same_news) return false;
  record_ = Record{now, news.before, news.found};
  kept_ = confirmed_ = false;
  known_ = place_.name.empty();  // another replica may have noticed it, and somebody may have confirmed it
  next_look_ = now;
  return true;
}

void RestoreGuard::tick(TimePoint now, bool leads) {
  const bool suspended = record_ && !confirmed_;
  if (place_.name.empty() || under_way_ || now < next_look_ || (known_ && !suspended)) return;
  next_look_ = now + ask_every;
  under_way_ = true;
  suspended&& known_ && !kept_ && leads ? write(*record_, Verb::patch) : ask();
}

void RestoreGuard::ask() {
  around_.client.start(config_map_read(place_.name_space, place_.name),
                       [this](const Answer& answer) { answered(answer); });
}

void RestoreGuard::answered(const Answer& answer) {
  under_way_ = false;
  // Without an answer the outcome is unknown; every other refusal is final.
  if (!answer && answer.error().code == ErrorCode::unavailable) return;
  if (answer) {
    const TextMap texts = config_map_texts(*answer);
    const std::string* text = find_text(texts, restore_key);
    take(text ? read_record(*text) : std::nullopt, annotation_in(*answer, restore_checked_annotation));
  }
  if (!std::exchange(known_, true)) next_look_ = {};
  around_.wake();
}

// An older record is of a restore before the one that was noticed here.
void RestoreGuard::take(std::optional<Record> kept, const std::string& checked) {
  kept_ = kept && (!record_ || kept->noticed >= record_->noticed - same_news_elsewhere);
  if (!kept_) return;
  record_ = kept;
  confirmed_ = checked == record_->id();
}

void RestoreGuard::write(const Record& record, Verb verb) {
  ApiRequest request = config_map_write(place_.name_space, place_.name, verb, {{restore_key, record.text()}});
  request.still_wanted = around_.may_act;
  around_.client.start(std::move(request), [this, record, verb](const Answer& answer) {
    if (!answer && verb == Verb::patch && answer.error().code == ErrorCode::not_found)
      return write(record, Verb::create);
    under_way_ = false;
    if (answer && record_ && record_->id() == record.id()) kept_ = true;
  });
}

}  // namespace lips::kubernetes
