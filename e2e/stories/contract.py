"""The client keeps its promises to a real API server: lists, watches, bindings, events, leases.

The C++ tests of tests/contract, which start an etcd and a kube-apiserver of their own.
"""
import os
import re
import subprocess

from kit.cluster import need_tools
from kit.story import Missing

LIMIT = 400


def tell(story):
    need_tools("etcd", "kube-apiserver", "kubectl")
    program = os.path.join(os.path.dirname(story.lips), "kubernetes_contract")
    if not os.access(program, os.X_OK):
        raise Missing(f"no program {program}")
    found = subprocess.run([program, "--gtest_color=no"], capture_output=True, text=True)
    with open(os.path.join(story.folder, "contract.log"), "w", encoding="utf-8") as file:
        file.write(found.stdout + found.stderr)
    failed = re.findall(r"\[  FAILED  \] (\S+)$", found.stdout, re.M)
    story.check(found.returncode == 0, f"failed: {', '.join(sorted(set(failed))) or found.returncode} (contract.log)")
    story.figure("promises kept", int(re.search(r"\[  PASSED  \] (\d+)", found.stdout).group(1)), "tests")
    for connections, own, bare in re.findall(r"(\d+) connections: +(\d+) pods/s, bare loop +(\d+)", found.stdout):
        story.figure(f"bindings over {connections} connections", f"{own}/s, a bare loop {bare}/s")
