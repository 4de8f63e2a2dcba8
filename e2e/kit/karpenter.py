"""The real Karpenter with its kwok provider: it decides as in a cloud, and kwok plays the machines that it buys."""
import collections
import csv
import http.server
import json
import os
import threading
import time
import urllib.request

from kit import objects
from kit.cluster import E2E, TOOLS, is_ready, need_tools, wait_for
from kit.operator import Process, free_port
from kit.story import Missing

TYPES = ["c6i.xlarge", "c6i.2xlarge", "m6i.xlarge", "m6i.2xlarge", "m6i.4xlarge", "r6i.xlarge", "r6i.2xlarge"]
SPOT = {"zone-a": 0.38, "zone-b": 0.30, "zone-c": 0.46}  # of the on-demand price
KEPT_CORES = 0.1  # by the kubelet of each machine, as the provider plays it
PODS = 110  # that a machine may hold
BOOT = "30s"
# The times that the story measures ("takes pods", "is off"): Karpenter looks at a node again after it has registered, and after it has ended its machine.
READY = "32s"
TERMINATION = "5s"
IDLE = "15s"
# As the operator is told of it. An empty node goes after IDLE, and after what Karpenter takes to look twice.
FLEET = {"instanceTypes": TYPES, "zones": objects.ZONES, "bootTime": BOOT, "idleTime": "30s"}

# Words of Karpenter's provider for AWS, and how the one of kwok says the same: it finds the family and the size of a type in its name too.
AWS_WORDS = {'"EC2NodeClass"': '"KWOKNodeClass"', '"karpenter.k8s.aws"': '"karpenter.kwok.sh"', "karpenter.k8s.aws/instance-": "karpenter.kwok.sh/instance-"}

Offer = collections.namedtuple("Offer", "type zone capacity")
Machine = collections.namedtuple("Machine", "cores memory_gib usd_per_hour")


def is_going(node):
    """Says whether Karpenter has said that it ends the node."""
    return any(taint["key"] == "karpenter.sh/disrupted" for taint in node["spec"].get("taints", []))


def program_and_definitions():
    """Paths, of the version in LIPS_KARPENTER if there is one (e2e/run --karpenter)."""
    other = os.environ.get("LIPS_KARPENTER")
    if other:
        return os.path.join(TOOLS, f"karpenter-{other}", "bin", "kwok"), os.path.join(TOOLS, f"karpenter-{other}", "crds")
    return os.path.join(TOOLS, "bin", "karpenter"), os.path.join(TOOLS, "karpenter")


def need_karpenter():
    program, definitions = program_and_definitions()
    if not os.access(program, os.X_OK):
        need_tools("karpenter")
        raise Missing(f"no {program}: e2e/build-tools makes it")
    if not os.path.isdir(definitions):
        raise Missing(f"no custom resources of Karpenter in {definitions}: e2e/build-tools karpenter gets them")


def machines(types=TYPES):
    """The prices of these types, from the shipped price sheet: its newest row of each."""
    found = {}
    with open(os.path.join(os.path.dirname(E2E), "config", "prices", "ec2-on-demand.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["region"] == objects.REGION and row["instance_type"] in types:
                found[row["instance_type"]] = Machine(int(row["vcpu"]), float(row["memory_gib"]), float(row["usd_per_hour"]))
    return {name: found[name] for name in types}


def prices(sold_out=(), types=TYPES):
    """USD an hour of each offer. `sold_out`: types that nobody can buy on spot; the provider takes all that it is told of for sale."""
    found = {}
    for name, machine in machines(types).items():
        for zone in objects.ZONES:
            found[Offer(name, zone, "on-demand")] = machine.usd_per_hour
            if name not in sold_out:
                found[Offer(name, zone, "spot")] = round(machine.usd_per_hour * SPOT[zone], 6)
    return found


class PricePage:
    """The metrics page that Karpenter has on AWS, with the price of every offer; the provider for played nodes has none."""

    def __init__(self, offers, address="127.0.0.1"):
        lines = [f'karpenter_cloudprovider_instance_type_offering_price_estimate{{capacity_type="{offer.capacity}",'
                 f'instance_type="{offer.type}",zone="{offer.zone}"}} {price}\n' for offer, price in offers.items()]
        body = "".join(lines).encode()

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((address, 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://{address}:{self.server.server_address[1]}/metrics"


def instance_types(offers):
    """As the provider reads them."""
    def offering(offer, price):
        wants = {"karpenter.sh/capacity-type": offer.capacity, "topology.kubernetes.io/zone": offer.zone}
        return {"Price": price, "Available": True, "Requirements": [{"key": key, "operator": "In", "values": [value]} for key, value in wants.items()]}
    return [{"name": name, "architecture": "amd64", "operatingSystems": ["linux"],
             "resources": {"cpu": str(machine.cores), "memory": f"{machine.memory_gib:.0f}Gi", "ephemeral-storage": "100Gi", "pods": str(PODS)},
             "offerings": [offering(offer, price) for offer, price in offers.items() if offer.type == name]}
            for name, machine in machines({offer.type: None for offer in offers}).items()]


def node_pool():
    """Everything may be bought; what is empty or could be packed better goes after IDLE, as many nodes at once as that concerns."""
    wants = {"kubernetes.io/arch": ["amd64"], "kubernetes.io/os": ["linux"], "karpenter.sh/capacity-type": ["spot", "on-demand"]}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "batch"},
            "spec": {"template": {"spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "played"}, "expireAfter": "Never",
                                           "requirements": [{"key": key, "operator": "In", "values": values} for key, values in wants.items()]}},
                     "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": IDLE, "budgets": [{"nodes": "100%"}]}}}


def stages(folder, seconds=1):
    """For kwok: those of all stories, and one for pods that are evicted. `seconds`: of pods of Jobs that do not say how long they run."""
    path = os.path.join(folder, "stages.yaml")
    with open(path, "w", encoding="utf-8") as file:
        for name in ("stages.yaml", "stages-evicted.yaml"):
            with open(os.path.join(E2E, name), encoding="utf-8") as part:
                file.write(part.read().replace("durationMilliseconds: 1000", f"durationMilliseconds: {1000 * seconds}") + "---\n")
    return path


class Karpenter(Process):
    def __init__(self, cluster, offers, name="karpenter", kubeconfig=None):
        need_karpenter()
        self.health = free_port()
        types = os.path.join(cluster.story.folder, "instance-types.json")
        with open(types, "w", encoding="utf-8") as file:
            json.dump(instance_types(offers), file, indent=1)
        super().__init__(cluster, name, [program_and_definitions()[0]], {
            "KUBECONFIG": kubeconfig or cluster.kubeconfig, "DISABLE_LEADER_ELECTION": "true", "METRICS_PORT": str(free_port()), "HEALTH_PROBE_PORT": str(self.health),
            "SYSTEM_NAMESPACE": "default", "KARPENTER_SERVICE": "karpenter", "INSTANCE_TYPES_FILE_PATH": types})

    def install_definitions(self, boot, node_class):
        """Its custom resources and one class of nodes. `boot`: after that time the provider makes the Node of a machine."""
        self.cluster.kubectl("apply", "--server-side", "-f", program_and_definitions()[1])
        self.cluster.wait_for_definitions()
        self.cluster.api.create({"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": node_class},
                                 "spec": {"nodeRegistrationDelay": boot}})
        return self

    def install(self, boot=BOOT):
        """The same, and one NodePool."""
        self.install_definitions(boot, "played")
        self.cluster.api.create(node_pool())
        return self

    def start(self):
        super().start()
        wait_for(self.healthy, 60, lambda: f"Karpenter is not healthy: {self.log()[-800:]}", pause=0.2)
        return self

    def healthy(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/healthz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def ready(self):
        """Says whether it would buy: the NodePool says so."""
        return is_ready(self.cluster.api.get("NodePool", "batch"))


def wait_empty(cluster, patience):
    """Until all nodes have gone, or some have stayed for so many seconds."""
    deadline = time.monotonic() + patience
    while cluster.api.list("Node") and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(1)  # recorders hear of the last one
