#include "kubernetes/data/task_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/degraded_input.h"
#include "model/stripe.h"

namespace lips::kubernetes {
namespace {

std::string encoded_path(const std::string& path) {
  std::string result;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    result += percent_encoded(path.substr(from, end - from));
    if (end < path.size()) result += '/';
    from = end + 1;
  }
  return result;
}

std::string joined(std::string folder, const std::string& path) {
  while (folder.ends_with('/')) folder.pop_back();
  return folder + '/' + path;
}

std::string part_suffix(const FilePart& part) {
  return part.whole ? "" : fmt::format("#bytes={}-{}", part.offset, part.offset + part.size - 1);
}

bool at_hand(const InputRequest& request) {
  const DataStoreSpec& store = request.store->spec;
  if (store.kind == StoreKind::node_directory) return store.node == request.node;
  return store.kind == StoreKind::zonal_volume && request.claims &&
         std::find(request.claims->begin(), request.claims->end(), store.claim) != request.claims->end();
}

std::string hdfs_url(const DiscoveryRequest& hdfs, const FilePart& part) {
  return fmt::format("{}/{}?op=OPEN&offset={}&length={}{}", joined(hdfs.url, "webhdfs/v1"), encoded_path(part.path),
                     part.offset, part.size, hdfs.user.empty() ? "" : "&user.name=" + percent_encoded(hdfs.user));
}

// The URL has a password that opens only the folder of the block.
std::string served_url(const InputRequest& request, const FilePart& part) {
  const CatalogDataSet& set = *request.set;
  const std::string folder = readers_folder(set.object, *set.layout, part);
  const std::string path = folder.empty() ? part.path : part.path.substr(folder.size() + 1);
  const std::string credentials = request.key->credentials(request.store->meta.object.uid, folder);
  const std::string& endpoint = request.store->status.endpoint;
  const std::size_t host = endpoint.find("://") + 3;
  return endpoint.substr(0, host) + credentials + '@' + joined(endpoint.substr(host), encoded_path(path));
}

}  // namespace

Result<std::string> task_input(const InputRequest& request) {
  const CatalogDataSet& set = *request.set;
  const DataStoreResource& store = *request.store;
  const std::string name = full_name(set.object.meta.object), store_name = store.meta.object.name;
  if (!set.usable()) return fail(ErrorCode::not_found, "DataSet " + name + ": " + set.finding.message);
  const HeldBlocks* held = find_held(set.object, store_name);
  if (!held || !held->blocks.contains(request.block) || request.block >= set.layout->count())
    return fail(ErrorCode::not_found,
                fmt::format("{} holds no block {} of DataSet {}", store_name, request.block, name));
  const FilePart part = held_part(set.object, *set.layout, *held, request.block);
  const DiscoveryRequest& discover = set.object.spec.discover;
  if (discover.source == DiscoveryRequest::Source::hdfs && !held->copies.contains(request.block))
    return hdfs_url(discover, part);
  if (at_hand(request))
    return joined(request.mounted_at.empty() ? store.spec.path : request.mounted_at, part.path) + part_suffix(part);
  if (!store.spec.endpoint.empty()) return joined(store.spec.endpoint, encoded_path(part.path)) + part_suffix(part);
  if (!store.status.endpoint.empty() && request.key && request.key->known())
    return served_url(request, part) + part_suffix(part);
  if (!is_bucket(store.spec.kind))
    return fail(ErrorCode::unavailable, "DataStore " + store_name + " is not served to other nodes now");
  const std::string root = "s3://" + store.spec.bucket + (store.spec.prefix.empty() ? "" : '/' + store.spec.prefix);
  return joined(root, part.path) + part_suffix(part);
}

Result<std::string> task_inputs(const InputRequest& request, std::uint32_t count) {
  std::string result, file;
  std::int64_t first = 0, end = 0;
  const auto flush = [&] {
    if (file.empty()) return;
    if (!result.empty()) result += '\n';
    result += file;
    if (end > 0) result += fmt::format("#bytes={}-{}", first, end - 1);
  };
  InputRequest one = request;
  for (one.block = request.block; one.block < request.block + count && result.size() <= longest_input; ++one.block) {
    auto input = task_input(one);
    if (!input) return input;
    const std::size_t mark = input->rfind("#bytes=");
    const BlockSpan span = request.set->layout->span(one.block);
    const bool part = mark != std::string::npos;
    if (part && end > 0 && file == input->substr(0, mark) && end == span.offset) {
      end += span.size;
      continue;
    }
    flush();
    file = input->substr(0, mark);
    first = span.offset;
    end = part ? span.offset + span.size : 0;
  }
  flush();
  return result;
}

Result<std::string> degraded_task_input(InputRequest request, const std::vector<StripeStore>& sources) {
  const DataLayout& layout = *request.set->layout;
  lips::DataSet shape;
  shape.first_block = BlockId(0);
  shape.blocks = layout.native;
  shape.code = layout.code;
  const BlockId wanted(request.block);
  DegradedInput input;
  input.code = shape.code;
  input.natives = lips::stripe_of(shape, wanted).natives;
  input.row = code_row(shape, wanted);
  input.bytes = static_cast<std::uint64_t>(layout.span(request.block).size);
  for (const auto& [block, store] : sources) {
    request.block = block;
    request.store = store;
    Result<std::string> where =
        store ? task_input(request) : fail(ErrorCode::not_found, "a store of its stripe is gone");
    if (!where) return where;
    input.sources.emplace_back(code_row(shape, BlockId(block)), *where);
  }
  return format_degraded_input(input);
}

}  // namespace lips::kubernetes
