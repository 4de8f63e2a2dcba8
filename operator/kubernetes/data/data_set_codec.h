// From the JSON of a DataSet to a value. What the server would not have let in is refused with the object's name and
// field; what is wrong in substance is for validation.h.
#pragma once

#include <string_view>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

Result<DataSetResource> decode_data_set(std::string_view json);

}  // namespace lips::kubernetes
