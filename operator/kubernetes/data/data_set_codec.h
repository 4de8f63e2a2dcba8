// Decodes the JSON of a DataSet. Refuses values that the server would not have admitted, by object name and field;
// validation.h checks the meaning.
#pragma once

#include <string_view>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

Result<DataSetResource> decode_data_set(std::string_view json);

}  // namespace lips::kubernetes
