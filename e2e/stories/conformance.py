"""The table of checks that the virtual API server passes holds for a real one.

The C++ table of tests/virtual/conformance, put to an etcd and a kube-apiserver without controllers, with the chart's custom resources.
"""
import os
import re
import subprocess

from kit.cluster import Cluster
from kit.story import Missing

LIMIT = 300


def tell(story):
    program = os.path.join(os.path.dirname(story.lips), "virtual_tests")
    if not os.access(program, os.X_OK):
        raise Missing(f"no program {program}")
    with Cluster(story, only_api=True) as cluster:
        cluster.install_custom_resources()
        found = subprocess.run([program, "--gtest_filter=ApiServer/Conformance.*", "--gtest_color=no"], capture_output=True, text=True,
                               env={**os.environ, "LIPS_CONFORMANCE_KUBECONFIG": cluster.kubeconfig})
    with open(os.path.join(story.folder, "conformance.log"), "w", encoding="utf-8") as file:
        file.write(found.stdout + found.stderr)
    failed = sorted(set(re.findall(r"\[  FAILED  \] ApiServer/Conformance\.Holds/(\w+)", found.stdout)))
    passed = re.search(r"\[  PASSED  \] (\d+)", found.stdout)
    story.check(found.returncode == 0 and passed, f"failed: {', '.join(failed) or found.returncode} (conformance.log)")
    story.figure("the real API server agrees with the virtual one", int(passed.group(1)), "checks", at_least=400)
