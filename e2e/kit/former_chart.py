"""The chart that a user may have installed before: from the repository's history, where there is one."""
import os
import re
import shutil
import subprocess

CHART = os.path.join("charts", "lips")


def former_chart(root, folder):
    """Its folder, and what to say of it: the newest of an earlier version, else the one before the definitions changed last; it is unpacked into
    `folder`. Without Git, or without a history (a downloaded tree, a shallow clone), the present one: then an upgrade changes no definition."""
    present = os.path.join(root, CHART)
    if not shutil.which("git"):
        return present, "the present one, for want of Git"

    def git(*words):
        found = subprocess.run(["git", "-C", root, *words], capture_output=True)
        return found.stdout if found.returncode == 0 else b""

    def version(commit):
        return re.findall(rb"^appVersion: .*", git("show", f"{commit}:./{CHART}/Chart.yaml"), re.M)

    changes = git("log", "--format=%H", "--", f"{CHART}/Chart.yaml").decode().split()
    earlier = next((f"{c}^" for c in changes if version(f"{c}^") not in ([], version("HEAD"))), None)
    changed = git("log", "-1", "--format=%H", "--", f"{CHART}/crds").decode().strip()
    commit = earlier or f"{changed}^"
    archive = git("archive", commit, CHART) if earlier or changed else b""
    if not archive:
        return present, "the present one, for want of a history"
    os.makedirs(folder)
    subprocess.run(["tar", "-xC", folder], input=archive, check=True)
    about = git("log", "-1", "--format=%h of %ad", "--date=short", commit).decode().strip()
    return os.path.join(folder, CHART), f"{about}, {'an earlier version' if earlier else 'before the definitions changed last'}"
