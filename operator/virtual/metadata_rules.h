// The rules of kube-apiserver for names, labels and finalizers. Pure.
#pragma once

#include <string>
#include <string_view>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// A name of an object: a DNS subdomain.
bool is_object_name(std::string_view name);
// With or without a prefix: lips.dev/pool, app.
bool is_label_key(std::string_view key);
bool is_label_value(std::string_view value);

// Texts are texts, labels and annotations maps of texts, finalizers a list of them, owners a list of objects.
bool has_right_types(const Json& metadata);

// The label by which namespaces are selected by name. A namespace has it, whatever is written.
void label_with_name(Json& metadata);

// The first fault of an object's metadata, as the server words it; empty: none. `before`: those of the stored object,
// or null. Finalizers of a custom resource need no prefix.
std::string metadata_fault(const Json& metadata, const Json& before, bool custom);

}  // namespace lips::virtual_cluster
