#include "kubernetes/api/lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

std::string text_in(const Json& map, const char* key) {
  const auto place = map.find(key);
  return place != map.end() && place->is_string() ? place->get<std::string>() : "";
}

std::int64_t number_in(const Json& map, const char* key) {
  const auto place = map.find(key);
  return place != map.end() && place->is_number_integer() ? place->get<std::int64_t>() : 0;
}

Json part_of(const Json& map, const char* key) {
  const auto place = map.find(key);
  return place != map.end() && place->is_object() ? *place : Json::object();
}

Result<LeaseRecord> read_lease(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::unavailable, "a lease that is not JSON");
  const Json spec = part_of(json, "spec");
  LeaseRecord record;
  record.holder = text_in(spec, "holderIdentity");
  record.duration = std::chrono::seconds(number_in(spec, "leaseDurationSeconds"));
  record.transitions = number_in(spec, "leaseTransitions");
  record.resource_version = text_in(part_of(json, "metadata"), "resourceVersion");
  record.uid = text_in(part_of(json, "metadata"), "uid");
  for (const auto& [key, time] :
       {std::pair("acquireTime", &record.acquired), std::pair("renewTime", &record.renewed)}) {
    const std::string written = text_in(spec, key);
    if (written.empty()) continue;
    const auto parsed = parse_time(written);
    if (!parsed) return fail(ErrorCode::invalid_input, fmt::format("lease: spec.{}: {}", key, parsed.error().message));
    *time = *parsed;
  }
  if (record.resource_version.empty()) return fail(ErrorCode::unavailable, "a lease without resourceVersion");
  return record;
}

}  // namespace

ApiLeaseStore::ApiLeaseStore(ApiClient& client, std::string name_space, std::string name,
                             std::chrono::milliseconds timeout)
    : client_(client), name_space_(std::move(name_space)), name_(std::move(name)), timeout_(timeout) {}

Result<LeaseRecord> ApiLeaseStore::ask(Verb verb, std::string path, std::string body) {
  ApiRequest request;
  request.verb = verb;
  request.path = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases{}", percent_encoded(name_space_), path);
  request.body = std::move(body);
  request.timeout = timeout_;
  request.repeatable = false;  // the election retries by itself
  const Answer answer = client_.call(std::move(request));
  if (!answer) return tl::unexpected(answer.error());
  return read_lease(*answer);
}

Result<LeaseRecord> ApiLeaseStore::read() { return ask(Verb::get, '/' + percent_encoded(name_), ""); }

Result<LeaseRecord> ApiLeaseStore::write(const LeaseRecord& record) {
  Json metadata{{"name", name_}, {"namespace", name_space_}};
  if (!record.resource_version.empty()) metadata["resourceVersion"] = record.resource_version;
  // An update of a Lease that is gone would make it again, whatever version was read; not one of a certain Lease.
  if (!record.uid.empty()) metadata["uid"] = record.uid;
  const Json lease{{"apiVersion", "coordination.k8s.io/v1"},
                   {"kind", "Lease"},
                   {"metadata", std::move(metadata)},
                   {"spec",
                    {{"holderIdentity", record.holder},
                     {"leaseDurationSeconds", std::max<std::int64_t>(1, record.duration / std::chrono::seconds(1))},
                     {"acquireTime", micro_time_text(record.acquired)},
                     {"renewTime", micro_time_text(record.renewed)},
                     {"leaseTransitions", record.transitions}}}};
  const bool create = record.resource_version.empty();
  return ask(create ? Verb::create : Verb::update, create ? "" : '/' + percent_encoded(name_), lease.dump());
}

// The rest of the gap is for watches of the next leader, which could otherwise bind on room that it does not know to be
// taken.
std::chrono::milliseconds wire_time(const LeaseOptions& options) {
  constexpr std::chrono::milliseconds most{5'000}, least{1};
  const auto gap = std::chrono::duration_cast<std::chrono::milliseconds>(options.duration - options.renew_deadline);
  return std::clamp(gap * 3 / 4, least, most);
}

LeaderElection::LeaderElection(LeaseStore& store, LeaseOptions options) : store_(store), options_(std::move(options)) {
  LIPS_CHECK(options_.renew_deadline < options_.duration && options_.retry < options_.renew_deadline,
             "a leader has to stop before others may begin");
  LIPS_CHECK(!options_.identity.empty(), "a copy of the operator has a name");
}

// The age of a version counts from when it was first seen here: the clock of the writer may differ from ours.
void LeaderElection::observe(const LeaseRecord& record, TimePoint now) {
  if (!observed_ || observed_->resource_version != record.resource_version) observed_at_ = now;
  const std::uint64_t found = version_number(record.resource_version);
  // It is read and written by one thread, one request after the other.
  if (seen_.uid == record.uid && found != 0 && found < seen_.version)
    set_back_ = SetBack{"leases.coordination.k8s.io", seen_.version, found};
  seen_ = {record.uid, found};
  observed_ = record;
  term_ = record.transitions;
  if (record.holder != options_.identity) step_down();
}

Result<void> LeaderElection::take(LeaseRecord record, TimePoint now) {
  if (record.holder != options_.identity) {
    record.transitions += record.resource_version.empty() ? 0 : 1;
    record.acquired = now;
  }
  record.holder = options_.identity;
  record.duration = options_.duration;
  record.renewed = now;
  const Result<LeaseRecord> written = store_.write(record);
  if (!written) return tl::unexpected(written.error());
  observe(*written, now);
  if (!leads(now)) ++times_elected_;
  leads_until_ = (now + options_.renew_deadline).time_since_epoch().count();
  return {};
}

bool LeaderElection::others_may_act(TimePoint now) const {
  const bool other = observed_ && !observed_->holder.empty() && observed_->holder != options_.identity;
  return other && now < observed_at_ + std::max(observed_->duration, Duration(std::chrono::seconds(1)));
}

Result<void> LeaderElection::step(TimePoint now) {
  const Result<LeaseRecord> read = store_.read();
  const bool missing = !read && read.error().code == ErrorCode::not_found;
  if (!read && !missing) return tl::unexpected(read.error());
  if (read) observe(*read, now);
  if (others_may_act(now)) return {};  // also when somebody deleted the lease of a leader that does not know yet
  return take(missing ? LeaseRecord{} : *read, now);
}

Result<void> LeaderElection::release(TimePoint now) {
  const bool led = leads(now);
  step_down();
  if (!led || !observed_ || observed_->holder != options_.identity) return {};
  LeaseRecord record = *observed_;
  record.holder.clear();
  record.duration = std::chrono::seconds(1);
  record.renewed = now;
  const Result<LeaseRecord> written = store_.write(record);
  if (!written) return tl::unexpected(written.error());
  observe(*written, now);
  return {};
}

}  // namespace lips::kubernetes
