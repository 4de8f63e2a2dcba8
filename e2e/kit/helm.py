"""Objects of the chart, as helm renders them."""
import os
import subprocess

from kit.cluster import E2E, TOOLS

CHART = os.path.join(os.path.dirname(E2E), "charts", "lips")
NAMESPACE = "lips-system"


def template(cluster, show_only, *flags):
    """The text of one template, for the release `lips`."""
    command = ["helm", "template", "lips", CHART, "--namespace", NAMESPACE, "--show-only", f"templates/{show_only}", *flags]
    homes = {f"HELM_{name}_HOME": os.path.join(cluster.folder, "helm") for name in ("CACHE", "CONFIG", "DATA")}
    return subprocess.run([os.path.join(TOOLS, "bin", command[0]), *command[1:]], check=True, capture_output=True, text=True,
                          env={**os.environ, **homes}).stdout
