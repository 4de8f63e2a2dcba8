"""The chart: its objects as helm renders them, releases of it, the image that these run, and what their operators say."""
import os
import re
import subprocess
import urllib.request

from kit.cluster import E2E, TOOLS

ROOT = os.path.dirname(E2E)
CHART = os.path.join(ROOT, "charts", "lips")
NAMESPACE = "lips-system"
REPOSITORY, TAG = "local.test/lips", "e2e"
IMAGE = f"{REPOSITORY}:{TAG}"
VALUES = {"image": {"repository": REPOSITORY, "tag": TAG, "pullPolicy": "Never"}, "replicas": 1}  # for one real node that has it


def command(cluster, *arguments):
    """The process has helm's folders in the cluster's."""
    homes = {f"HELM_{name}_HOME": os.path.join(cluster.folder, "helm") for name in ("CACHE", "CONFIG", "DATA")}
    return subprocess.run([os.path.join(TOOLS, "bin", "helm"), *arguments], capture_output=True, text=True, env={**os.environ, **homes})


def template(cluster, show_only, *flags):
    """The text of one template, for the release `lips`."""
    found = command(cluster, "template", "lips", CHART, "--namespace", NAMESPACE, "--show-only", f"templates/{show_only}", *flags)
    found.check_returncode()
    return found.stdout


def run(cluster, *arguments):
    """Runs a command of helm on the cluster and returns its output. A command that fails ends the story."""
    found = command(cluster, "--kubeconfig", cluster.kubeconfig, *arguments)
    cluster.story.check(found.returncode == 0, f"helm {' '.join(arguments[:2])}: {found.stderr[-600:]}")
    return found.stdout


def build_image(cluster, *more_names):
    """Packs IMAGE from the program under test and copies it to each real node as a file; returns its size in bytes."""
    story = cluster.story
    archive = os.path.join(story.folder, "lips-image.tar")
    subprocess.run([os.path.join(ROOT, "docker", "build-image"), "--program", story.lips, "--name", IMAGE, "--output", archive], check=True)
    for node in sorted(os.listdir(os.path.join(cluster.folder, "nodes"))):
        images = ["ctr", "-a", os.path.join(cluster.folder, "nodes", node, "containerd.sock"), "-n", "k8s.io", "images"]
        subprocess.run([*images, "import", archive], check=True, stdout=subprocess.DEVNULL)
        for name in more_names:
            subprocess.run([*images, "tag", IMAGE, name], check=True, stdout=subprocess.DEVNULL)
    size = os.path.getsize(archive)
    os.remove(archive)
    return size


def keep_log(cluster, pod):
    """The log of a release's pod, which is also kept in the story's folder."""
    name = pod["metadata"]["name"]
    log = str(cluster.api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/log"))
    with open(os.path.join(cluster.story.folder, name + ".log"), "w", encoding="utf-8") as file:
        file.write(log)
    return log


def refused(log):
    """The lines about requests for which the roles do not suffice."""
    return [line for line in log.splitlines() if re.search(r"\b403\b", line) or "forbidden" in line.lower()]


def dollars_of_rows(pod, name):
    """The dollars in each row of the page that has this name."""
    with urllib.request.urlopen(f"http://{pod['status']['podIP']}:8080/?still", timeout=20) as answer:
        rows = re.findall(rf"<tr>(?:(?!</tr>).)*>{name}<.*?</tr>", answer.read().decode(), re.S)
    return [sum(float(text.replace(",", "")) for text in re.findall(r"\$([\d.,]+)", row)) for row in rows]
