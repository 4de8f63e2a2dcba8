#include "kubernetes/adapter/kept_shares.h"

#include <utility>

#include "kubernetes/api/config_map.h"

namespace lips::kubernetes {
namespace {

constexpr const char* shares_key = "shares";
constexpr const char* debts_key = "targets";
constexpr const char* traffic_key = "traffic";
constexpr Duration write_every{5'000'000};

}  // namespace

KeptShares::Texts KeptShares::texts_in(const std::string& body) {
  const TextMap texts = config_map_texts(body);
  const auto text = [&](const char* key) {
    const std::string* found = find_text(texts, key);
    return found ? *found : "";
  };
  return {text(shares_key), text(debts_key), text(traffic_key)};
}

KeptShares::KeptShares(Surroundings surroundings, Place place)
    : around_(std::move(surroundings)), place_(std::move(place)), known_(place_.name.empty()) {}

void KeptShares::read() {
  if (place_.name.empty()) return;
  known_ = false;
  ask();
}

void KeptShares::ask() {
  around_.client.start(config_map_read(place_.name_space, place_.name),
                       [this](const Answer& answer) { answered(answer); });
}

void KeptShares::answered(const Answer& answer) {
  // Without an answer the outcome is unknown; every other refusal is final.
  ask_again_ = !answer && answer.error().code == ErrorCode::unavailable;
  known_ = !ask_again_;
  kept_ = answer ? texts_in(*answer) : Texts{};
  if (!answer && answer.error().code != ErrorCode::not_found) kept_ = texts_;
  if (const std::optional<StoredShares> found = read_shares(kept_.shares); found && answer)
    shares_ = found, texts_.shares = kept_.shares;
  if (answer && !kept_.debts.empty()) texts_.debts = kept_.debts;
  if (answer && !kept_.traffic.empty()) texts_.traffic = kept_.traffic;
  reads_ += answer.has_value();
  if (!answer && answer.error().code != ErrorCode::not_found) around_.refused(answer.error());
  around_.wake();
}

void KeptShares::remember(StoredShares shares) {
  texts_.shares = shares_text(shares);
  shares_ = std::move(shares);
}

void KeptShares::flush(TimePoint now) {
  if (place_.name.empty() || under_way_ || now - written_at_ < write_every) return;
  const bool ask_again = std::exchange(ask_again_, false);
  if (!ask_again && (!known_ || texts_ == kept_)) return;
  written_at_ = now;
  under_way_ = !ask_again;
  ask_again ? ask() : write(texts_, Verb::patch);
}

void KeptShares::write(const Texts& texts, Verb verb) {
  TextMap data;
  if (!texts.shares.empty()) data.emplace_back(shares_key, texts.shares);
  if (!texts.debts.empty()) data.emplace_back(debts_key, texts.debts);
  if (!texts.traffic.empty() && (verb == Verb::create || texts.traffic != kept_.traffic))
    data.emplace_back(traffic_key, texts.traffic);  // it is long, and shares change often
  ApiRequest request = config_map_write(place_.name_space, place_.name, verb, data);
  request.still_wanted = around_.may_act;
  around_.client.start(std::move(request), [this, texts, verb](const Answer& answer) { written(texts, verb, answer); });
}

void KeptShares::written(const Texts& texts, Verb verb, const Answer& answer) {
  if (!answer && verb == Verb::patch && answer.error().code == ErrorCode::not_found) return write(texts, Verb::create);
  under_way_ = false;
  if (answer) kept_ = texts;
}

}  // namespace lips::kubernetes
