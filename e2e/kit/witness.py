"""A scheduler that decides nothing: it hears of all pods and binds those of one namespace to one node at once.

How long that takes says what the API server and the machine make of a binding at that moment, whoever decides.
    PYTHONPATH=e2e python3 -m kit.witness --kubeconfig FILE --space NAMESPACE --node NODE
"""
import argparse
import json

from kit import api as kube


def follow(api, space, node):
    version = api.request("GET", kube.path("Pod") + "?limit=1")["metadata"]["resourceVersion"]
    connection = api.connect(timeout=None)
    connection.request("GET", f"{kube.path('Pod')}?watch=true&resourceVersion={version}", headers=api.headers)
    answer, mark, rest = connection.getresponse(), f'"namespace":"{space}"'.encode(), b""
    print("ready", flush=True)
    while chunk := answer.read1(1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b'{"type":"ADDED"') and mark in line[:4096]:
                bind(api, json.loads(line)["object"], node)


def bind(api, pod, node):
    meta = pod["metadata"]
    api.request("POST", kube.path_of({"kind": "Pod", **pod}) + "/binding",
                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--space", required=True)
    parser.add_argument("--node", required=True)
    options = parser.parse_args()
    follow(kube.Api(options.kubeconfig), options.space, options.node)


if __name__ == "__main__":
    main()
