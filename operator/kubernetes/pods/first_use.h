// Which volumes may be bound to a claim that gets its volume on first use. Pure, as kube-scheduler's VolumeBinding.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/pods/volumes.h"

namespace lips::kubernetes {

// The nodes that reach the volume, as alternatives; empty: all.
std::vector<NodeSelectorTerm> terms_of(const Volume& volume);

// Says whether the volume may be bound to the claim, wherever it is.
bool suits(const Volume& volume, const Claim& claim);

// The better of several that suit: one that was made for the claim, else the smallest.
bool is_better(const Volume& volume, const Volume& than, const Claim& claim);

// "10 GiB"
std::string size_text(const Claim& claim);

// "10 GiB, ReadWriteOnce"
std::string wish_text(const Claim& claim);

}  // namespace lips::kubernetes
