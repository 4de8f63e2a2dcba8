#include "kubernetes/api/transfer.h"

#include <curl/curl.h>

#include <ctime>

#include "base/check.h"

namespace lips::kubernetes {
namespace {

constexpr long connect_timeout_ms = 10'000;
constexpr std::size_t most_error_text = 64 << 10;

curl_blob blob_of(const std::string& text) {
  return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
}

// The server cannot have the whole request: there was no connection, or it broke while the request was written (like an
// idle connection after a restart of the server).
bool undelivered(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_SSL_CONNECT_ERROR ||
         code == CURLE_SEND_ERROR;
}

// Errors that another attempt cannot change.
bool refused(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT;
}

struct GlobalCurl {
  GlobalCurl() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

}  // namespace

Transfer::Transfer() {
  static const GlobalCurl once;
  easy_ = curl_easy_init();
  LIPS_CHECK(easy_ != nullptr, "libcurl gives no handle");
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(static_cast<curl_slist*>(headers_));
}

void Transfer::prepare(const ApiRequest& request, const Target& target, const Credentials& credentials, Sink sink) {
  curl_easy_reset(easy_);  // keeps connections
  body_.clear();
  error_.assign(CURL_ERROR_SIZE, '\0');
  sink_ = std::move(sink);
  most_bytes_ = request.most_bytes;
  too_long_ = false;
  curl_easy_setopt(easy_, CURLOPT_URL, (target.server + request.path).c_str());
  curl_easy_setopt(easy_, CURLOPT_USERAGENT, target.user_agent.c_str());
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Transfer::receive);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);  // no waiting for a name server at the end
  curl_easy_setopt(easy_, CURLOPT_PROXY, "");       // none from the environment
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy_, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPINTVL, 15L);
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
  if (request.verb != Verb::watch)
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  // In the encodings that libcurl can decode; kube-apiserver knows gzip. Never a watch: its events would wait for more.
  if (target.compresses_lists && request.verb == Verb::list) curl_easy_setopt(easy_, CURLOPT_ACCEPT_ENCODING, "");
  set_verb(request);
  set_security(credentials);
  set_headers(request, credentials.token);
}

void Transfer::set_verb(const ApiRequest& request) {
  const char* method = nullptr;
  switch (request.verb) {
    case Verb::get:
    case Verb::list:
    case Verb::watch:
      curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
      return;
    case Verb::create:
      method = "POST";
      break;
    case Verb::update:
      method = "PUT";
      break;
    case Verb::patch:
      method = "PATCH";
      break;
    case Verb::remove:
      method = "DELETE";
      break;
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, method);
  if (request.verb == Verb::remove && request.body.empty()) return;
  curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());
}

void Transfer::set_security(const Credentials& credentials) {
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy_, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (!credentials.authority.empty()) {
    // Trusts this authority only; the folder would otherwise add those of the system.
    curl_easy_setopt(easy_, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);
    curl_blob authority = blob_of(credentials.authority);
    curl_easy_setopt(easy_, CURLOPT_CAINFO_BLOB, &authority);
  }
  if (!credentials.certificate.empty()) {
    curl_blob certificate = blob_of(credentials.certificate), key = blob_of(credentials.key);
    curl_easy_setopt(easy_, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy_, CURLOPT_SSLKEY_BLOB, &key);
  }
}

void Transfer::set_headers(const ApiRequest& request, const std::string& token) {
  curl_slist_free_all(static_cast<curl_slist*>(headers_));
  curl_slist* headers = curl_slist_append(nullptr, "Accept: application/json");
  headers = curl_slist_append(headers, "Expect:");  // no pause before long bodies
  if (!request.body.empty()) headers = curl_slist_append(headers, ("Content-Type: " + request.content_type).c_str());
  if (!token.empty()) headers = curl_slist_append(headers, ("Authorization: Bearer " + token).c_str());
  for (const std::string& header : request.headers) headers = curl_slist_append(headers, header.c_str());
  headers_ = headers;
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers);
}

std::size_t Transfer::receive(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  Transfer& self = *static_cast<Transfer*>(transfer);
  const std::string_view arrived(bytes, size * count);
  long code = 0;
  curl_easy_getinfo(self.easy_, CURLINFO_RESPONSE_CODE, &code);
  if (self.sink_ && code >= 200 && code < 300) return self.sink_(arrived) ? arrived.size() : CURL_WRITEFUNC_PAUSE;
  const bool success = code >= 200 && code < 300;
  self.too_long_ = success && self.most_bytes_ > 0 && self.body_.size() + arrived.size() > self.most_bytes_;
  if (self.too_long_) return 0;  // ends the transfer
  if (success || self.body_.size() < most_error_text) self.body_.append(arrived);
  return arrived.size();
}

void Transfer::resume() { curl_easy_pause(easy_, CURLPAUSE_CONT); }

TryResult Transfer::result(int curl_code) const {
  const auto code = static_cast<CURLcode>(curl_code);
  TryResult result;
  result.delivered = !undelivered(code);
  result.refused = refused(code) || too_long_;
  long http = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &http);
  // A success with a cut body is no answer; a refusal is an answer even then.
  if (code == CURLE_OK || http >= 300) result.http_code = static_cast<int>(http);
  curl_off_t after = 0;
  curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &after);
  if (after > 0) result.retry_after = std::chrono::seconds(after);
  return result;
}

std::string Transfer::failure(int curl_code) const {
  if (too_long_) return "the answer has more than " + std::to_string(most_bytes_) + " bytes";
  const char* general = curl_easy_strerror(static_cast<CURLcode>(curl_code));
  const std::string own = error_.substr(0, error_.find('\0'));
  return own.empty() ? general : own;
}

std::chrono::microseconds Transfer::took() const {
  curl_off_t micros = 0;
  curl_easy_getinfo(easy_, CURLINFO_TOTAL_TIME_T, &micros);
  return std::chrono::microseconds(micros);
}

std::optional<TimePoint> Transfer::date() const {
  curl_header* header = nullptr;
  if (curl_easy_header(easy_, "Date", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return std::nullopt;
  const std::time_t seconds = curl_getdate(header->value, nullptr);
  return seconds < 0 ? std::nullopt : std::optional(TimePoint(std::chrono::seconds(seconds)));
}

}  // namespace lips::kubernetes
