"""A scheduler that decides nothing: it hears of all pods and binds those of one namespace to one node at once.

How long that takes says what the API server and the machine make of a binding at that moment, whoever decides.
    PYTHONPATH=e2e python3 -m kit.witness --kubeconfig FILE --space NAMESPACE --node NODE
"""
import argparse
import http.client
import json
import time

from kit import api as kube


def follow(api, space, node):
    """Until the watch ends. What came before it is bound first."""
    found = api.request("GET", kube.path("Pod", space))
    for pod in found["items"]:
        if not pod["spec"].get("nodeName"):
            bind(api, pod, node)
    connection = api.connect(timeout=None)
    connection.request("GET", f"{kube.path('Pod')}?watch=true&resourceVersion={found['metadata']['resourceVersion']}", headers=api.headers)
    answer, mark, rest = connection.getresponse(), f'"namespace":"{space}"'.encode(), b""
    print("ready", flush=True)
    while chunk := answer.read1(1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b'{"type":"ADDED"') and mark in line[:4096]:
                bind(api, json.loads(line)["object"], node)


def bind(api, pod, node):
    meta = pod["metadata"]
    try:
        api.request("POST", kube.path("Pod", meta["namespace"], meta["name"]) + "/binding",
                    {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
    except kube.ApiError as error:  # such as a pod that is gone
        print(error, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--space", required=True)
    parser.add_argument("--node", required=True)
    options = parser.parse_args()
    api = kube.Api(options.kubeconfig)
    while True:
        try:
            follow(api, options.space, options.node)
        except (http.client.HTTPException, OSError) as error:
            print(error, flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
