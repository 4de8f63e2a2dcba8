"""Kinds of other projects. The server stores any object of theirs; nobody acts on it."""

KINDS = {"jobsets.jobset.x-k8s.io": ("v1alpha2", "JobSet"), "rayclusters.ray.io": ("v1", "RayCluster"),
         "daskclusters.kubernetes.dask.org": ("v1", "DaskCluster"), "workflows.argoproj.io": ("v1alpha1", "Workflow")}


def definition(name):
    version, kind = KINDS[name]
    plural, group = name.split(".", 1)
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
            "spec": {"group": group, "scope": "Namespaced", "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": schema}]}}


def install(cluster, *names):
    cluster.api.create_all([definition(name) for name in names])
    cluster.wait_for_definitions()
