// Requests that write one object.
#pragma once

#include <string>

#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

ApiRequest creation_of(std::string path, std::string body);
ApiRequest deletion_of(std::string path);  // what it owns is deleted after it
ApiRequest patch_of(std::string path, std::string body, const char* kind = merge_patch);

}  // namespace lips::kubernetes
