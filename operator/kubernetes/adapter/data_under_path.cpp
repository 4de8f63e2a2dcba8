#include "kubernetes/adapter/data_under_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubernetes/data/access.h"

namespace lips::kubernetes {
namespace {

using Service = DataPath::Service;

constexpr std::size_t most_runs = 100;

Service service_of(const DataStoreSpec& bucket) {
  const bool google =
      bucket.provider == "GCS" || bucket.bucket_endpoint.find("storage.googleapis.com") != std::string::npos;
  return google ? Service::google : Service::s3;
}

// A store in which the path lies, or that lies under it.
struct Covered {
  const DataStoreResource* store = nullptr;
  std::string path;     // from the store's root
  bool inside = false;  // the store has all of it
};

std::vector<Covered> stores_of(const DataPath& path, const StoreMap& stores) {
  std::vector<Covered> covered;
  for (const auto& [name, store] : stores) {
    const DataStoreSpec& spec = store.spec;
    if (!is_bucket(spec.kind) || spec.bucket != path.authority || service_of(spec) != path.service) continue;
    const std::string root = folder_path(spec.prefix);
    if (lies_in(path.path, root))
      covered.push_back({&store, folder_path(path.path.substr(root.size())), true});
    else if (lies_in(root, path.path))
      covered.push_back({&store, "", false});
  }
  return covered;
}

// "namenode" is short for "namenode.hdfs.svc".
bool same_host(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + '.') || b.starts_with(a + '.');
}

class DataUnder {
 public:
  DataUnder(const DataPath& path, const DataCatalog& catalog, const std::string& name_space)
      : path_(path), catalog_(catalog), name_space_(name_space) {}

  Result<std::vector<BlockRun>> find() {
    if (path_.service != Service::hdfs) stores_ = stores_of(path_, catalog_.stores());
    if (path_.service == Service::hdfs || !stores_.empty())
      for (const auto& [name, set] : catalog_.data_sets())
        if (set.usable() && may_read(set.object, name_space_)) add(name, blocks_of(set));
    if (servers_.size() > 1)
      return fail(ErrorCode::invalid_input,
                  fmt::format("found a path that data sets of {} servers have; allowed: the name of one of them",
                              servers_.size()));
    if (runs_.size() > most_runs)
      return fail(ErrorCode::invalid_input,
                  fmt::format("found a path with {} separate parts of data sets; allowed: {}, or a data set's name",
                              runs_.size(), most_runs));
    if (runs_.empty() && !lies_beside_all_zones())
      return fail(ErrorCode::not_found,
                  fmt::format("no data set that {} may read has files there, or none that is ready", name_space_));
    return std::move(runs_);
  }

 private:
  BlockRanges blocks_of(const CatalogDataSet& set) {
    const DiscoveryRequest& discover = set.object.spec.discover;
    BlockRanges blocks;
    if (path_.service == Service::hdfs) {
      const bool same = path_.authority.empty() || same_host(path_.authority, host_of(discover.url));
      if (discover.source == DiscoveryRequest::Source::hdfs && same) blocks = set.layout->blocks_under(path_.path);
      if (!blocks.empty()) servers_.insert(host_of(discover.url));
      return blocks;
    }
    if (discover.source == DiscoveryRequest::Source::hdfs) return blocks;
    for (const Covered& covered : stores_) {
      if (!has_originals(set.object, covered.store->meta.object.name)) continue;
      const BlockRanges found = set.layout->blocks_under(covered.path);
      if (!found.empty()) servers_.insert(covered.store->spec.bucket_endpoint);
      blocks.add(found);
    }
    return blocks;
  }

  void add(const std::string& name, const BlockRanges& blocks) {
    for (const BlockRanges::Range& range : blocks.ranges())
      runs_.push_back({name, range.first, range.last - range.first + 1});
  }

  bool lies_beside_all_zones() const {
    return !stores_.empty() && std::all_of(stores_.begin(), stores_.end(), [&](const Covered& covered) {
      const DataStoreSpec& spec = covered.store->spec;
      return spec.kind == StoreKind::regional_bucket && covered.inside && may_lie(spec, name_space_, covered.path);
    });
  }

  const DataPath& path_;
  const DataCatalog& catalog_;
  const std::string& name_space_;
  std::vector<Covered> stores_;
  std::set<std::string> servers_;
  std::vector<BlockRun> runs_;
};

}  // namespace

Result<std::vector<BlockRun>> data_under(const DataPath& path, const DataCatalog& catalog,
                                         const std::string& name_space) {
  return DataUnder(path, catalog, name_space).find();
}

}  // namespace lips::kubernetes
