"""A real HDFS beside the cluster: a NameNode, and a DataNode on each real node, as plain processes, used over HTTP only."""
import http.client
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from kit.cluster import TOOLS, wait_for
from kit.operator import Process
from kit.story import Missing, StoryFailed

NAME_NODE = "10.0.0.1"  # of the cluster's network namespace
RPC, HTTP, DATA, DATA_HTTP, DATA_IPC = 8020, 9870, 9866, 9864, 9867
JARS = os.path.join(TOOLS, "hadoop")
# Small heaps, and a quick start rather than quick code.
JAVA = ["-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
SERVER = "org.apache.hadoop.hdfs.server."


def need_hdfs():
    if not shutil.which("java"):
        raise Missing("no java (Debian: openjdk-17-jre-headless)")
    if not os.path.exists(os.path.join(JARS, "hadoop-client-minicluster.jar")):
        raise Missing(f"no Hadoop in {JARS}: e2e/build-tools hadoop gets it, by ivy")


def write_settings(path, settings):
    properties = "".join(f"<property><name>{name}</name><value>{value}</value></property>\n" for name, value in settings.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"<configuration>\n{properties}</configuration>\n")


# HDFS identifies a DataNode by its address: each has its own, on its node's bridge, like a pod.
PLUGGED_IN = """
until ip link show eth0 > /dev/null 2>&1; do sleep 0.05; done
ip link set lo up && ip link set eth0 up && ip address add "$1/24" dev eth0 && ip route add default via "${1%.*}.1" || exit 1
shift
exec "$@"
"""


class DataNode(Process):
    def __init__(self, cluster, node, address, command):
        self.link = f"dn-{node}"
        self.bridge = "lipsbr" + node.rpartition("-")[2]
        super().__init__(cluster, f"datanode-{node}", ["unshare", "--net", "sh", "-c", PLUGGED_IN, "sh", address, *command])

    def start(self):
        super().start()
        own = os.readlink("/proc/self/ns/net")
        wait_for(lambda: os.readlink(f"/proc/{self.child.pid}/ns/net") != own, 10, f"{self.name} gets no network namespace", pause=0.01)
        # The link goes with the process.
        for words in (f"link add {self.link} type veth peer name eth0 netns {self.child.pid}", f"link set {self.link} master {self.bridge} up"):
            subprocess.run(["ip", *words.split()], check=True)
        return self


class Hdfs:
    """`racks`: of each node. A DataNode has its node's name; a client with an address of the node's bridge reads from its rack."""

    def __init__(self, cluster, racks):
        self.racks = racks
        self.addresses = {node: f"10.244.{node.rpartition('-')[2]}.2" for node in racks}
        self.folder = os.path.join(cluster.folder, "hdfs")
        self.url = f"http://{NAME_NODE}:{HTTP}"
        os.makedirs(self.folder)
        self.write("hosts", [f"{NAME_NODE} namenode", f"127.0.0.1 localhost {os.uname().nodename}"] +
                   [f"{address} {node}" for node, address in self.addresses.items()])
        self.write("racks", [f"{address.rpartition('.')[0]}.{i} /{racks[node]}" for node, address in self.addresses.items() for i in range(1, 255)])
        self.write("log4j.properties", ["log4j.rootLogger=INFO,out", "log4j.appender.out=org.apache.log4j.ConsoleAppender",
                                        "log4j.appender.out.layout=org.apache.log4j.PatternLayout", "log4j.appender.out.layout.ConversionPattern=%d %p %c{1}: %m%n"])
        self.name_node = Process(cluster, "namenode", self.command("namenode", SERVER + "namenode.NameNode", {}))
        self.data_nodes = {node: DataNode(cluster, node, address, self.command(f"datanode-{node}", SERVER + "datanode.DataNode", {
            "dfs.datanode.hostname": node, "dfs.datanode.data.dir": f"file://{self.folder}/data-{node}", "dfs.datanode.address": f"{address}:{DATA}",
            "dfs.datanode.http.address": f"{address}:{DATA_HTTP}", "dfs.datanode.ipc.address": f"{address}:{DATA_IPC}"}))
                           for node, address in self.addresses.items()}

    def write(self, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")

    def command(self, name, program, more):
        """With settings of its own, in a folder of its own."""
        home = os.path.join(self.folder, name)
        os.makedirs(home)
        write_settings(os.path.join(home, "core-site.xml"), {
            "fs.defaultFS": f"hdfs://{NAME_NODE}:{RPC}", "hadoop.tmp.dir": home,
            "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping", "net.topology.table.file.name": os.path.join(self.folder, "racks")})
        write_settings(os.path.join(home, "hdfs-site.xml"), {
            "dfs.namenode.name.dir": f"file://{self.folder}/names", "dfs.namenode.http-address": f"{NAME_NODE}:{HTTP}",
            "dfs.ls.limit": 2,  # files in one piece of a listing
            # A DataNode that is silent for 2 * 1 s + 10 * 1 s is dead, and HDFS copies its blocks again at once.
            "dfs.heartbeat.interval": 1, "dfs.namenode.heartbeat.recheck-interval": 1000, "dfs.namenode.redundancy.interval.seconds": 1,
            "dfs.namenode.safemode.extension": 0, "dfs.blockreport.initialDelay": 0, **more})
        return ["java", *JAVA, f"-Djdk.net.hosts.file={self.folder}/hosts", "-cp", f"{home}:{self.folder}:{JARS}/*", program]

    def start(self):
        formatted = subprocess.run([*self.name_node.command, "-format", "-nonInteractive"], capture_output=True, text=True)
        if formatted.returncode != 0:
            raise StoryFailed(f"the NameNode does not format: {formatted.stdout[-2000:]}{formatted.stderr[-2000:]}")
        for process in (self.name_node, *self.data_nodes.values()):
            process.start()
        self.wait_for_live(set(self.racks))
        return self

    # ---- queries ----

    def live(self):
        try:
            with urllib.request.urlopen(f"{self.url}/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo", timeout=10) as answer:
                return {name.partition(":")[0] for name in json.loads(json.load(answer)["beans"][0]["LiveNodes"])}
        except (OSError, IndexError):
            return set()

    def wait_for_live(self, nodes):
        wait_for(lambda: self.live() == nodes, 180, lambda: f"live DataNodes: {self.live()}")

    def blocks(self, path):
        """From fsck: the blocks of each file, as (bytes, nodes that have it)."""
        query = urllib.parse.urlencode({"ugi": "root", "path": path, "files": 1, "blocks": 1, "locations": 1, "openforwrite": 1})
        with urllib.request.urlopen(f"{self.url}/fsck?{query}", timeout=30) as answer:
            text = answer.read().decode()
        node_at = {address: node for node, address in self.addresses.items()}
        found = {}
        for line in text.splitlines():
            file = re.match(r"(/.*) (\d+) bytes, replicated: ", line)
            block = re.match(r"\d+\. BP-\S+ len=(\d+)", line)
            if file:
                blocks = found[file.group(1)] = []
            elif block:
                blocks.append((int(block.group(1)), {node_at[address] for address in re.findall(r"DatanodeInfoWithStorage\[([0-9.]+):", line)}))
        return found

    # ---- changes ----

    def ask(self, method, path, operation, body=None, at=None, **more):
        query = urllib.parse.urlencode({"op": operation, "user.name": "root", **more})
        request = urllib.request.Request(f"{at or self.url}/webhdfs/v1{urllib.parse.quote(path)}?{query}", data=body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise StoryFailed(f"{operation} {path}: {error.code} {error.read().decode()}") from error

    def put(self, path, data, node, replication, block_size, **more):
        """Writes from that node, which gets the first replica of each block."""
        self.ask("PUT", path, "CREATE", data, at=f"http://{self.addresses[node]}:{DATA_HTTP}", namenoderpcaddress=f"{NAME_NODE}:{RPC}", overwrite="true",
                 replication=replication, blocksize=block_size, **more)

    def begin(self, path, data, node, replication, block_size, **more):
        """As put, but by a writer that does not finish: the file stays open as long as the returned object."""
        query = urllib.parse.urlencode({"op": "CREATE", "user.name": "root", "namenoderpcaddress": f"{NAME_NODE}:{RPC}", "replication": replication,
                                        "blocksize": block_size, **more})
        writer = http.client.HTTPConnection(self.addresses[node], DATA_HTTP, timeout=60)
        writer.putrequest("PUT", f"/webhdfs/v1{urllib.parse.quote(path)}?{query}")
        writer.putheader("Transfer-Encoding", "chunked")
        writer.endheaders()
        for at in range(0, len(data), 1 << 16):
            part = data[at:at + (1 << 16)]
            writer.send(b"%x\r\n%s\r\n" % (len(part), part))
        return writer
