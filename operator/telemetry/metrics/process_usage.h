// The use of resources by this process, as the kernel counts it.
#pragma once

namespace lips {

double resident_bytes();
double cpu_seconds();  // user and system

}  // namespace lips
