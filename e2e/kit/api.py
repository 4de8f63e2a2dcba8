"""A small client of the Kubernetes API, independent of the operator's own: requests, lists and watches as plain dictionaries."""
import http.client
import json
import ssl
import threading
import time
import urllib.parse

from kit.together import together

CORE = {"Namespace": "namespaces", "Node": "nodes", "PersistentVolume": "persistentvolumes"}
CORE_NAMESPACED = {"Pod": "pods", "Service": "services", "Secret": "secrets", "ConfigMap": "configmaps", "ServiceAccount": "serviceaccounts",
                   "PersistentVolumeClaim": "persistentvolumeclaims", "Event": "events"}
GROUPS = {"Job": ("batch/v1", "jobs", True), "CronJob": ("batch/v1", "cronjobs", True), "Lease": ("coordination.k8s.io/v1", "leases", True),
          "StorageClass": ("storage.k8s.io/v1", "storageclasses", False), "CSINode": ("storage.k8s.io/v1", "csinodes", False),
          "CSIDriver": ("storage.k8s.io/v1", "csidrivers", False), "CSIStorageCapacity": ("storage.k8s.io/v1", "csistoragecapacities", True),
          "PriorityClass": ("scheduling.k8s.io/v1", "priorityclasses", False), "PodGroup": ("scheduling.k8s.io/v1alpha2", "podgroups", True),
          "ClusterRole": ("rbac.authorization.k8s.io/v1", "clusterroles", False),
          "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
          "CustomResourceDefinition": ("apiextensions.k8s.io/v1", "customresourcedefinitions", False),
          "DataSet": ("lips.dev/v1alpha1", "datasets", True), "DataStore": ("lips.dev/v1alpha1", "datastores", False),
          "Pool": ("lips.dev/v1alpha1", "pools", False), "DataMove": ("lips.dev/v1alpha1", "datamoves", False),
          "NodePool": ("karpenter.sh/v1", "nodepools", False), "NodeClaim": ("karpenter.sh/v1", "nodeclaims", False),
          "KWOKNodeClass": ("karpenter.kwok.sh/v1alpha1", "kwoknodeclasses", False)}


def api_version(kind):
    return "v1" if kind in CORE or kind in CORE_NAMESPACED else GROUPS[kind][0]


def path(kind, namespace=None, name=None):
    """The path of the objects of a kind: all of them, those of a namespace, or one."""
    if kind in CORE:
        prefix, plural, namespaced = "/api/v1", CORE[kind], False
    elif kind in CORE_NAMESPACED:
        prefix, plural, namespaced = "/api/v1", CORE_NAMESPACED[kind], True
    else:
        version, plural, namespaced = GROUPS[kind]
        prefix = "/apis/" + version
    if namespaced and namespace:
        prefix += "/namespaces/" + namespace
    return f"{prefix}/{plural}" + (f"/{name}" if name else "")


def path_of(obj):
    meta = obj["metadata"]
    return path(obj["kind"], meta.get("namespace", "default"), meta["name"])


class ApiError(Exception):
    def __init__(self, code, message, method, where):
        super().__init__(f"{method} {where}: {code} {message}")
        self.code = code
        self.message = message


class Api:
    """Thread-safe; each thread gets its own connection."""

    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            config = json.load(file)
        cluster = config["clusters"][0]["cluster"]
        address = urllib.parse.urlparse(cluster["server"])
        self.host, self.port = address.hostname, address.port or 443
        self.headers = {"Authorization": "Bearer " + config["users"][0]["user"]["token"], "User-Agent": "lips-e2e"}
        self.tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self.local = threading.local()

    def connect(self, timeout=60):
        return http.client.HTTPSConnection(self.host, self.port, context=self.tls, timeout=timeout)

    def request(self, method, where, body=None, content_type="application/json"):
        """Repeats the request if the server is busy (429: also while it opens the store of a new kind)."""
        for _ in range(20):
            try:
                return self.request_once(method, where, body, content_type)
            except ApiError as error:
                if error.code != 429:
                    raise
                time.sleep(0.25)
        return self.request_once(method, where, body, content_type)

    def request_once(self, method, where, body, content_type):
        data = None if body is None else body if isinstance(body, (str, bytes)) else json.dumps(body)
        headers = dict(self.headers)
        if data is not None:
            headers["Content-Type"] = content_type
        for attempt in (1, 2):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                connection = self.local.connection = self.connect()
            try:
                connection.request(method, where, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self.local.connection = None
                if attempt == 2:
                    raise
        try:
            found = json.loads(text) if text else None
        except ValueError:
            found = text.decode(errors="replace")
        if answer.status >= 300:
            message = found.get("message", "") if isinstance(found, dict) else str(found)
            raise ApiError(answer.status, message, method, where)
        return found

    def get(self, kind, name, namespace="default"):
        return self.request("GET", path(kind, namespace, name))

    def find(self, kind, name, namespace="default"):
        """None if there is none."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, kind, namespace=None, selector=None):
        where = path(kind, namespace)
        if selector:
            where += "?labelSelector=" + urllib.parse.quote(selector)
        found = self.request("GET", where)
        for item in found["items"]:
            item.setdefault("kind", kind)
            item.setdefault("apiVersion", api_version(kind))
        return found["items"]

    def create(self, obj):
        meta = obj["metadata"]
        return self.request("POST", path(obj["kind"], meta.get("namespace", "default")), obj)

    def create_all(self, objects, workers=8):
        """Several at once, in no order."""
        objects = iter(objects)
        failures = []
        lock = threading.Lock()

        def work():
            while True:
                with lock:
                    obj = None if failures else next(objects, None)
                if obj is None:
                    return
                try:
                    self.create(obj)
                except Exception as error:  # raised below, in the calling thread
                    failures.append(error)

        together(work, workers)
        if failures:
            raise failures[0]

    def patch(self, kind, name, change, namespace="default", subresource=""):
        where = path(kind, namespace, name) + (f"/{subresource}" if subresource else "")
        return self.request("PATCH", where, change, "application/merge-patch+json")

    def delete(self, kind, name, namespace="default", grace=None):
        body = {"propagationPolicy": "Background"}
        if grace is not None:
            body["gracePeriodSeconds"] = grace
        try:
            return self.request("DELETE", path(kind, namespace, name), body)
        except ApiError as error:
            if error.code != 404:
                raise
        return None

    def watch(self, kind, version, stop):
        """Yields (type, object) until `stop` (an Event) is set or the connection ends."""
        connection = self.connect(timeout=2)
        try:
            connection.request("GET", f"{path(kind)}?watch=true&resourceVersion={version}&allowWatchBookmarks=true",
                               headers=self.headers)
            answer = connection.getresponse()
            rest = b""
            while not stop.is_set():
                try:
                    chunk = answer.read1(1 << 20)
                except TimeoutError:
                    # A read that timed out spoils the buffered reader; go on from the last version seen.
                    return
                if not chunk:
                    return
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line:
                        event = json.loads(line)
                        yield event["type"], event["object"]
        finally:
            connection.close()
