"""A real API server accepts everything that the charts render; roles, admission policy and schemas refuse what they must.

The checks of tests/chart/server, which starts an etcd and a kube-apiserver of its own.
"""
import os
import subprocess

from kit.cluster import E2E, need_tools

LIMIT = 300


def tell(story):
    need_tools("etcd", "kube-apiserver", "kubectl", "helm")
    found = subprocess.run([os.path.join(os.path.dirname(E2E), "tests", "chart", "server")], capture_output=True, text=True)
    with open(os.path.join(story.folder, "server.log"), "w", encoding="utf-8") as file:
        file.write(found.stdout + found.stderr)
    lines = found.stdout.splitlines()
    failed = [line for line in lines if line.startswith("FAILED: ")]
    kept = sum(line.startswith("ok: ") for line in lines)
    story.check(found.returncode == 0, f"{'; '.join(failed) or found.stderr[-300:] or found.returncode} (server.log)")
    story.figure("promises kept", kept, "checks", at_least=75)
