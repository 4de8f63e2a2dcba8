"""A control plane for one story, with fake nodes by kwok and, on request, real ones."""
import ctypes
import json
import os
import shutil
import subprocess
import time

from kit import api as kube
from kit import audit
from kit.story import Missing, StoryFailed

E2E = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = os.environ.get("LIPS_TOOLS") or os.path.expanduser("~/.cache/lips-tools")
KEPT = ["Namespace", "Node", "Pod", "Job", "Event", "Lease", "DataSet", "DataStore", "Pool", "DataMove", "ConfigMap", "PersistentVolumeClaim",
        "PersistentVolume"]
CLONE_NEWNET = 0x40000000
ADDRESS = "10.0.0.1"  # of the story where there are real nodes, as pods reach it


def need_tools(*names):
    for name in names:
        if not os.access(os.path.join(TOOLS, "bin", name), os.X_OK):
            raise Missing(f"no {name} in {TOOLS}/bin: e2e/build-tools makes it")
    if not shutil.which("openssl"):
        raise Missing("no openssl (scripts/packages.txt)")


def need_real_nodes():
    need_tools("kubelet", "rclone")
    found = subprocess.run([os.path.join(E2E, "real-nodes"), "check"], capture_output=True, text=True)
    if found.returncode != 0:
        raise Missing(found.stdout.strip() or found.stderr.strip())


class Cluster:
    """`with Cluster(story) as cluster:` is one instance in a folder of its own."""

    def __init__(self, story, real_nodes=None, scheduler=False, kwok=True, stages=None, record_bindings=False, own_nodes=False,
                 dns=False, pod_groups=False, images=(), only_api=False):
        """`record_bindings`: see kit.audit. `own_nodes`: nodes stay as the story makes them (objects.ready_node), without health checks.

        `real_nodes`: so many; 0: they are added later. `images`: archives that these have beside their usual ones. `dns`: pods of real nodes find
        headless Services by name. `pod_groups`: the server has them (alpha), and its Job controller makes them. `only_api`: no
        controllers, no scheduler, no kwok."""
        need_tools("etcd", "kube-apiserver", "kubectl", *(() if only_api else ("kube-controller-manager", "kube-scheduler", "kwok")))
        if real_nodes is not None:
            need_real_nodes()
        if dns:
            need_tools("coredns")
        self.story, self.real_nodes, self.scheduler, self.kwok, self.stages, self.dns = story, real_nodes, scheduler, kwok, stages, dns
        self.images, self.only_api = images, only_api
        base = os.environ.get("LIPS_E2E_DIR") or os.path.expanduser("~/.cache/lips-e2e")
        self.folder = os.path.join(base, story.name)
        self.flags = {"kube-apiserver": audit.flags(story.folder) if record_bindings else ""}
        if own_nodes:
            self.flags["kube-apiserver"] += " --disable-admission-plugins=TaintNodesByCondition"
            self.flags["kube-controller-manager"] = "--controllers=*,-node-lifecycle-controller"
        if pod_groups:
            gates = " --feature-gates=GenericWorkload=true,GangScheduling=true,WorkloadWithJob=true"
            for name, more in [("kube-apiserver", " --runtime-config=scheduling.k8s.io/v1alpha2=true"), ("kube-controller-manager", ""),
                               ("kube-scheduler", "")]:
                self.flags[name] = self.flags.get(name, "") + gates + more
        self.api = None
        self.old_network = None
        self.processes = []

    @property
    def kubeconfig(self):
        return os.path.join(self.folder, "kubeconfig")

    def second_kubeconfig(self):
        """The same cluster as another user, so that the audit log tells two programs apart."""
        with open(self.kubeconfig, encoding="utf-8") as file:
            config = json.load(file)
        config["current-context"] = "second"
        path = os.path.join(self.story.folder, "second.kubeconfig")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        return path

    def script(self, program, *arguments):
        command = [os.path.join(E2E, program), *arguments, "--dir", self.folder]
        with open(os.path.join(self.story.folder, "setup.log"), "ab") as log:
            log.write((" ".join(command) + "\n").encode())
            log.flush()
            flags = {f"LIPS_{name.upper().replace('-', '_')}_FLAGS": text for name, text in self.flags.items()}
            found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **flags})
        if found.returncode != 0:
            raise StoryFailed(f"{' '.join(command)} failed: see setup.log")

    def __enter__(self):
        self.take_down()
        flags = ["--only-api"] if self.only_api else [] if self.scheduler else ["--no-scheduler"]
        flags += [] if self.kwok else ["--no-kwok"]
        flags += ["--stages", self.stages] if self.stages else []
        flags += ["--netns"] if self.real_nodes is not None else []
        flags += ["--dns"] if self.dns else []
        self.script("control-plane", "up", *flags)
        try:
            if self.real_nodes is not None:
                self.enter_network()
                self.link_images()
                self.script("real-nodes", "up", str(self.real_nodes))
            self.api = kube.Api(self.kubeconfig)
        except BaseException:
            self.__exit__(StoryFailed, None, None)
            raise
        return self

    def __exit__(self, kind, error, trace):
        for process in self.processes:
            process.end()
        failed = kind is not None or self.story.failures
        try:
            if failed:
                self.keep_objects()
        except Exception as problem:  # the server may be what failed
            self.story.say(f"objects could not be kept: {problem}")
        finally:
            logs = os.path.join(self.folder, "logs")
            if failed and os.path.isdir(logs):
                shutil.copytree(logs, os.path.join(self.story.folder, "logs"), dirs_exist_ok=True)
            self.leave_network()
            self.take_down()

    def take_down(self):
        """Also what a story put there. Not while anything is still mounted or running."""
        self.script("control-plane", "down")
        if not any(os.path.exists(os.path.join(self.folder, name)) for name in ("pids", "nodes")):
            shutil.rmtree(self.folder, ignore_errors=True)

    def link_images(self):
        folder = os.path.join(self.folder, "images")
        os.makedirs(folder)
        for image in self.images:
            os.symlink(image, os.path.join(folder, os.path.basename(image)))

    # Real nodes live in a network namespace; the story and its children enter it.
    def enter_network(self):
        name = "lips-" + subprocess.run(["sha256sum"], input=os.path.realpath(self.folder).encode(), capture_output=True).stdout[:8].decode()
        self.old_network = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.set_network(os.open("/run/netns/" + name, os.O_RDONLY))

    def leave_network(self):
        if self.old_network is not None:
            self.set_network(self.old_network)
            self.old_network = None

    @staticmethod
    def set_network(descriptor):
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
            raise StoryFailed("cannot enter the network namespace: " + os.strerror(ctypes.get_errno()))
        os.close(descriptor)

    def keep_objects(self):
        """Saves the server's objects to the story's folder, to help debug a failure."""
        if self.api is None:
            return
        folder = os.path.join(self.story.folder, "objects")
        os.makedirs(folder, exist_ok=True)
        for kind in KEPT:
            try:
                items = self.api.list(kind)
            except Exception as error:
                items = str(error)
            with open(os.path.join(folder, kind + ".json"), "w", encoding="utf-8") as file:
                json.dump(items, file, indent=1)

    def kubectl(self, *arguments, stdin=None):
        found = subprocess.run([os.path.join(TOOLS, "bin", "kubectl"), "--kubeconfig", self.kubeconfig, *arguments], input=stdin,
                               capture_output=True, text=True, env={**os.environ, "KUBECACHEDIR": self.folder + "/kubectl-cache"})
        if found.returncode != 0:
            raise StoryFailed(f"kubectl {' '.join(arguments)}: {found.stderr.strip()}")
        return found.stdout

    def install_custom_resources(self):
        """Those of the chart, as helm would."""
        self.kubectl("apply", "--server-side", "-f", os.path.join(os.path.dirname(E2E), "charts", "lips", "crds"))
        self.wait_for_definitions()

    def wait_for_definitions(self):
        """Until all custom resources are served. kubectl wait ends with an error where a definition has no conditions yet."""
        def unserved():
            return [each["metadata"]["name"] for each in self.api.list("CustomResourceDefinition") if not holds(each, "Established")]
        wait_for(lambda: not unserved(), 60, lambda: f"not established: {unserved()}")

    def add_nodes(self, nodes):
        self.api.create_all(nodes)
        names = {node["metadata"]["name"] for node in nodes}
        wait_for(lambda: names <= {n["metadata"]["name"] for n in self.api.list("Node") if is_ready(n)}, 60, "fake nodes are not ready")

    def label_node(self, name, **labels):
        self.api.patch("Node", name, {"metadata": {"labels": labels}})


def holds(obj, condition):
    return any(c["type"] == condition and c["status"] == "True" for c in obj.get("status", {}).get("conditions") or [])


def is_ready(obj):
    return holds(obj, "Ready")


MUST_RUN = []  # programs: while one of them has ended by itself, nothing is worth waiting for


def wait_for(found, seconds, what, pause=0.1):
    """Until it returns something true, which is handed back."""
    deadline = time.monotonic() + seconds
    while True:
        value = found()
        if value:
            return value
        for program in MUST_RUN:
            if not program.running():
                raise StoryFailed(program.last_words())
        if time.monotonic() > deadline:
            raise StoryFailed(f"after {seconds} s: {what() if callable(what) else what}")
        time.sleep(pause)
