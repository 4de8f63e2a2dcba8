#include "kubernetes/data/data_set_codec.h"

#include <simdjson.h>

#include "kubernetes/data/object_reader.h"

namespace lips::kubernetes {
namespace {

using json::ObjectReader;
using simdjson::ondemand::value;

constexpr std::int64_t most_code = 255;

void read_files(ObjectReader& reader, value json, std::vector<DataFile>& files) {
  reader.items(json, [&](value item) {
    DataFile& file = files.emplace_back();
    reader.fields(item, [&](std::string_view key, value content) {
      if (key == "path") file.path = reader.text(content);
      if (key == "size") file.size = reader.bytes(content);
      if (key == "sha256") file.sha256 = reader.text(content);
    });
  });
}

void read_placed(ObjectReader& reader, value json, DataSetSpec& spec) {
  PlacedBlocks& placed = spec.stores.emplace_back();
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "name") placed.store = reader.text(content);
    if (key == "blocks") placed.blocks = reader.ranges(content);
  });
}

void read_code(ObjectReader& reader, value json, ErasureCode& code) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "n") code.n = static_cast<std::int32_t>(reader.integer(content, 1, most_code));
    if (key == "k") code.k = static_cast<std::int32_t>(reader.integer(content, 1, most_code));
  });
}

void read_listing(ObjectReader& reader, value json, DiscoveryRequest& discover) {
  discover.source = DiscoveryRequest::Source::listing;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "store") discover.store = reader.text(content);
    if (key == "path") discover.path = reader.text(content);
    if (key == "include") discover.include = reader.text(content);
  });
}

void read_hdfs(ObjectReader& reader, value json, DiscoveryRequest& discover) {
  discover.source = DiscoveryRequest::Source::hdfs;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "url") discover.url = reader.text(content);
    if (key == "user") discover.user = reader.text(content);
    if (key == "path") discover.path = reader.text(content);
    if (key == "hosts")
      reader.items(content, [&](value item) {
        HostStore& host = discover.hosts.emplace_back();
        reader.fields(item, [&](std::string_view name, value text) {
          if (name == "host") host.host = reader.text(text);
          if (name == "store") host.store = reader.text(text);
        });
      });
  });
}

void read_discover(ObjectReader& reader, value json, DiscoveryRequest& discover) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "listing") read_listing(reader, content, discover);
    if (key == "hdfs") read_hdfs(reader, content, discover);
    if (key == "everySeconds") discover.every = std::chrono::seconds(reader.integer(content, 0, 1'000'000'000));
  });
}

void read_spec(ObjectReader& reader, value json, DataSetSpec& spec) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "size") spec.size = reader.bytes(content);
    if (key == "blocks") spec.blocks = reader.integer(content, 0, BlockRanges::most_blocks);
    if (key == "blockSize") spec.block_size = reader.bytes(content);
    if (key == "path") spec.path = reader.text(content);
    if (key == "files") read_files(reader, content, spec.files);
    if (key == "stores") reader.items(content, [&](value item) { read_placed(reader, item, spec); });
    if (key == "erasureCode") read_code(reader, content, spec.code);
    if (key == "discover") read_discover(reader, content, spec.discover);
    if (key == "readers") spec.readers = reader.texts(content);
  });
}

void read_held(ObjectReader& reader, value json, DataSetStatus& status) {
  HeldBlocks& held = status.replicas.emplace_back();
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "store") held.store = reader.text(content);
    if (key == "blocks") held.blocks = reader.ranges(content);
    if (key == "copies") held.copies = reader.ranges(content);
    if (key == "extra") held.extra = reader.ranges(content);
    if (key == "leaving") held.leaving = reader.ranges(content);
  });
}

void read_status(ObjectReader& reader, value json, DataSetStatus& status) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "observedGeneration") status.observed_generation = reader.integer(content, 0, most);
    if (key == "blocks") status.blocks = reader.integer(content, 0, BlockRanges::most_blocks);
    if (key == "size") status.size = reader.integer(content, 0, most);
    if (key == "files") read_files(reader, content, status.files);
    if (key == "replicas") reader.items(content, [&](value item) { read_held(reader, item, status); });
    if (key == "zones") status.zones = reader.text(content);
    if (key == "sizeText") status.size_text = reader.text(content);
    if (key == "discoveredAt" && !content.is_null()) status.discovered = reader.time(content);
    if (key == "conditions") reader.conditions(content, status.conditions);
  });
  std::sort(status.replicas.begin(), status.replicas.end(),
            [](const HeldBlocks& a, const HeldBlocks& b) { return a.store < b.store; });
}

}  // namespace

Result<DataSetResource> decode_data_set(std::string_view json) {
  json::PaddedText<simdjson::ondemand::parser> text;
  const auto document = [&]() -> simdjson::ondemand::document {
    return text.document(json, simdjson::SIMDJSON_PADDING);
  };
  return json::decoded<DataSetResource, decltype(document), simdjson::simdjson_error>(
      DataKind::data_set, document, [](ObjectReader& reader, bool spec, value content, DataSetResource& set) {
        spec ? read_spec(reader, content, set.spec) : read_status(reader, content, set.status);
      });
}

}  // namespace lips::kubernetes
