#include "tests/contract/bare/bare_loop.h"

#include <curl/curl.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

namespace lips::kubernetes {
namespace {

std::size_t discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

std::string body_of(const BareBinding& binding) {
  using Json = nlohmann::json;
  return Json{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata",
       {{"name", binding.name}, {"uid", binding.uid}, {"annotations", {{"lips.dev/input", "/data/" + binding.name}}}}},
      {"target", {{"kind", "Node"}, {"name", binding.node}}}}
      .dump();
}

}  // namespace

std::size_t bind_bare(const Connection& connection, const std::string& name_space,
                      const std::vector<BareBinding>& bindings, int connections) {
  std::vector<std::string> bodies;
  for (const BareBinding& binding : bindings) bodies.push_back(body_of(binding));
  const std::string pods = connection.server + "/api/v1/namespaces/" + name_space + "/pods/";
  std::atomic<std::size_t> next{0}, bound{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < connections; ++t)
    threads.emplace_back([&] {
      CURL* easy = curl_easy_init();
      curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
      headers = curl_slist_append(headers, ("Authorization: Bearer " + connection.token.text).c_str());
      curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
      curl_easy_setopt(easy, CURLOPT_CAINFO, connection.authority.file.c_str());
      curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
      curl_easy_setopt(easy, CURLOPT_USERAGENT, "bare");
      curl_easy_setopt(easy, CURLOPT_PROXY, "");
      curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
      curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &discard);
      for (std::size_t i = next++; i < bindings.size(); i = next++) {
        const std::string url = pods + bindings[i].name + "/binding";
        curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, bodies[i].c_str());
        long code = 0;
        if (curl_easy_perform(easy) == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
        bound += code == 201 ? 1 : 0;
      }
      curl_slist_free_all(headers);
      curl_easy_cleanup(easy);
    });
  threads.clear();
  return bound;
}

}  // namespace lips::kubernetes
