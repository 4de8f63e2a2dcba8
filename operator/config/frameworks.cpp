#include "config/frameworks.h"

namespace lips {

Frameworks default_frameworks() {
  return {
      {"spark", "spark-app-selector", "spark-role=driver", "", "", true, "spark-app-name"},
      {"ray", "ray.io/cluster", "ray.io/node-type=head", "", "", true, "", true},
      {"dask", "dask.org/cluster-name", "dask.org/component=scheduler", "", "", true, "", true},
      {"flink", "app", "component=jobmanager", "type=flink-native-kubernetes", ""},
      {"jobset", "jobset.sigs.k8s.io/jobset-name", "", "", ""},
      {"kubeflow", "training.kubeflow.org/job-name", "", "", ""},
      {"argo", "workflows.argoproj.io/workflow", "", "", "", false},
      {"volcano", "scheduling.k8s.io/group-name", "", "", ""},
      {"kueue", "kueue.x-k8s.io/pod-group-name", "", "", "kueue.x-k8s.io/pod-group-total-count"},
      {"coscheduling", "scheduling.x-k8s.io/pod-group", "", "", ""},
  };
}

}  // namespace lips
