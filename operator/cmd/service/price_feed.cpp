#include "cmd/service/price_feed.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "cmd/cli/command.h"
#include "cmd/cli/today.h"
#include "config/price_import.h"
#include "kubernetes/api/http_client.h"

namespace lips::cmd {

namespace {

constexpr std::chrono::minutes between_reads{10};
constexpr std::chrono::seconds between_source_looks{5};  // at an address that was not there, or has changed

Result<std::vector<InstanceOffer>> read_page(const PriceFeed::Source& source, std::stop_token stop) {
  const std::string& url = source.url;
  const std::size_t slash = url.find('/', url.find("://") + 3);
  kubernetes::Connection connection;
  connection.server = url.substr(0, slash);
  kubernetes::HttpClient client(connection, {});
  kubernetes::ApiRequest request;
  request.path = slash == std::string::npos ? "/metrics" : url.substr(slash);
  const kubernetes::Answer page = client.call(std::move(request), std::move(stop));
  if (!page) return tl::unexpected(page.error());
  const PriceFormat format =
      page->find(karpenter_prices) == std::string::npos ? PriceFormat::opencost : PriceFormat::karpenter;
  return import_prices({format, url, *page, today(), source.region});
}

}  // namespace

PriceFeed::PriceFeed(Current current, Tell tell)
    : thread_([current = std::move(current), tell = std::move(tell)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        Source last;
        std::chrono::steady_clock::time_point due{};
        do {
          const Source source = current();
          const auto now = std::chrono::steady_clock::now();
          if (source.url.empty() || (source == last && now < due)) continue;
          last = source;
          due = now + between_reads;
          tell(guarded([&] { return read_page(source, stop); }));
        } while (!never.wait_for(lock, stop, between_source_looks, [&] { return stop.stop_requested(); }));
      }) {}

}  // namespace lips::cmd
