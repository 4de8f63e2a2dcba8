// Decodes an object of a framework as the workflow that it describes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kubernetes/api/object_decoder.h"
#include "kubernetes/pods/workflow.h"

namespace lips::kubernetes {

// workflow_of(Object) says which steps it has.
template <class Object>
class WorkflowDecoder {
 public:
  Result<Workflow> decode(std::string_view json) {
    return objects_.decode(json).map([](const Object& from) { return workflow_of(from); });
  }

 private:
  ObjectDecoder<Object> objects_;
};

}  // namespace lips::kubernetes
