// The settings of moves of data, from those of the configuration.
#pragma once

#include "config/operator_settings.h"
#include "kubernetes/data/data_mover.h"
#include "kubernetes/data/move_progress.h"

namespace lips::kubernetes {

// Moves of one pair of zones share `moves.bandwidth` evenly, as if as many ran as may.
MoverOptions mover_options(const OperatorConfig::Moves& moves);

MoveProgress::Bounds progress_bounds(const MoverOptions& mover);

}  // namespace lips::kubernetes
