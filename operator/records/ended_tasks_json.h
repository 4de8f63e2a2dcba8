// The part of a record about tasks that have ended, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "records/ended_tasks.h"
#include "records/snapshot_json.h"

namespace lips {

nlohmann::ordered_json ended_tasks_json(const RecordedEnds& ended);
RecordedEnds read_ended_tasks(const json_tables::View& json);

}  // namespace lips
