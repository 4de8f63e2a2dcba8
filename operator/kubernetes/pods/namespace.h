// A namespace, as far as anti-affinity selects it: its labels. A value.
#pragma once

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct Namespace {
  ObjectMeta meta;
  TextMap labels;
};
using NamespaceDecoder = ObjectDecoder<Namespace>;

// Says whether the labels of namespaces decide which pods this one keeps out of its domain.
bool selects_namespaces(const Pod& pod);

}  // namespace lips::kubernetes
