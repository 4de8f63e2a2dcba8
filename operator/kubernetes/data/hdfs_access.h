// Access of namespaces to HDFS: the operator asks name nodes with its own network, and as the user that the data set
// names. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/name_nodes.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

// Why a data set of that namespace must not be discovered there: one entry of the configuration has to allow the
// address, the namespace, the path and the user together. Empty: it may.
std::string foreign_hdfs(const DiscoveryRequest& hdfs, const std::string& name_space,
                         const std::vector<NameNode>& name_nodes);

}  // namespace lips::kubernetes
