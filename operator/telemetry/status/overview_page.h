// The parts of the operator's page that show its cluster, and the page of one job, as HTML. Knows no server.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/page/html.h"
#include "telemetry/status/overview.h"

namespace lips {

// The last decision and why, the queue, nodes, data and moves: each a part that live.js may replace.
std::string render_overview(const Overview& overview);
std::string render_job(const JobView& job);

// A part of the page with an id: live.js replaces its content when that has changed.
std::string live_part(const std::string& id, const std::string& content);
// One of a list of key figures.
std::string figure(std::string_view what, const std::string& value, const std::string& note);
// A link to the page of a job.
page::Cell job_cell(const std::string& name);

}  // namespace lips
