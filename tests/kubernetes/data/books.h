// The data set etl/books with a given spec and status.
#pragma once

#include <string>

#include "kubernetes/data/resource_codec.h"

namespace lips::kubernetes {

inline DataSetResource set_of(const std::string& spec, const std::string& status = "{}") {
  return *decode_data_set(R"({"metadata":{"namespace":"etl","name":"books","uid":"u1"},"spec":)" + spec +
                          R"(,"status":)" + status + "}");
}

}  // namespace lips::kubernetes
