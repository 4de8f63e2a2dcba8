#include "records/ended_tasks_json.h"

#include "model/work.h"

namespace lips {

using namespace json_tables;
using Ordered = nlohmann::ordered_json;

namespace {

constexpr std::size_t cells = 11;
constexpr Whole any_index{0, most_ids};

Ordered row_of(const RecordedEnd& task) {
  return {task.job,
          task.arrival.time_since_epoch().count(),
          task.place,
          static_cast<int>(task.kind),
          task.data_set,
          task.block,
          task.expected.value(),
          task.work.value(),
          task.waited_for_data,
          task.at.time_since_epoch().count(),
          task.ran.count()};
}

RecordedEnd read_row(const View& row) {
  RecordedEnd task;
  task.job = row.cell(0, Text{});
  task.arrival = time(row.cell(1, Whole{-any_time, any_time}));
  task.place = static_cast<std::uint32_t>(row.cell(2, any_index));
  task.kind = static_cast<TaskKind>(row.cell(3, index_below(2)));
  task.data_set = row.cell(4, Text{});
  task.block = static_cast<std::uint32_t>(row.cell(5, any_index));
  task.expected = CpuSeconds(row.cell(6, Real{0})), task.work = CpuSeconds(row.cell(7, Real{0}));
  task.waited_for_data = row.cell(8, Flag{});
  task.at = time(row.cell(9, Whole{-any_time, any_time}));
  task.ran = Duration(row.cell(10, Whole{-any_time, any_time}));
  return task;
}

}  // namespace

Ordered ended_tasks_json(const RecordedEnds& ended) {
  Ordered json = {{"since", ended.since.time_since_epoch().count()},
                  {"withoutTime", ended.without_time},
                  {"lost", ended.lost},
                  {"tasks", Ordered::array()}};
  for (const RecordedEnd& task : ended.tasks) json["tasks"].push_back(row_of(task));
  return json;
}

RecordedEnds read_ended_tasks(const View& json) {
  RecordedEnds ended;
  ended.since = time(json.at("since").value(Whole{-any_time, any_time}));
  ended.without_time = json.at("withoutTime").value(Natural{});
  ended.lost = json.at("lost").value(Natural{});
  const View tasks = json.at("tasks");
  for (std::size_t i = 0, count = tasks.rows(cells); i < count; ++i) ended.tasks.push_back(read_row(tasks.item(i)));
  return ended;
}

}  // namespace lips
