"""The rights that the chart gives to the operator, and those that the operators of all stories have used: what none has used is too much."""
import json
import os
import re
import subprocess

from kit.cluster import E2E, TOOLS

CHART = os.path.join(E2E, "..", "charts", "lips")
# The objects of a chart with all that asks for rights.
EVERYTHING = ["--set", "config.mode=steer,steer.apiVersion=v1,config.fleet.fromNodePools=true"]
# Those that the metrics of stories cannot show, and why each is needed.
ELSEWHERE = {
    "update datamoves/finalizers": "no request: looked for by the admission plugin OwnerReferencesPermissionEnforcement, where there is one",
    "update datastores/finalizers": "the same",
    "create leases": "the leader's client counts nothing; story leader",
    "get leases": "the same",
    "update leases": "the same",
    "get configmaps": "what policies and targets remember, written now and then; test Restart.GoesOnWithTheDebtsOfTargets",
    "create configmaps": "the same",
    "patch configmaps": "the same",
    "delete datamoves": "ten minutes after the end of the operator's own; test DataMoves.ThatWereAskedForAreCarriedOutAndTheirObjectsGo",
    "patch secrets": "the key that the chart makes empty; test StoreKeySecretTest.FillsTheEmptySecretOfTheChart",
}
FILE = "rights.json"


def note(folder, metrics):
    """Adds those of one operator's metrics to what its story has used. A refused request counts as none."""
    path = os.path.join(folder, FILE)
    used = set(read(path))
    for key in metrics:
        found = re.fullmatch(r'lips_api_requests_total\{code="2\d\d",resource="([^"]*)",verb="([^"]*)"\}', key)
        if found:
            used.add(f"{found[2]} {found[1]}")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sorted(used), file)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return []


def granted():
    text = subprocess.run([os.path.join(TOOLS, "bin", "helm"), "template", "lips", CHART, "--show-only", "templates/rbac.yaml", *EVERYTHING],
                          capture_output=True, text=True, check=True).stdout
    rules = re.findall(r"resources: \[(.*)\]\n(?: +resourceNames: .*\n)? +verbs: \[(.*)\]", text)
    if len(rules) != text.count("- apiGroups:"):
        raise ValueError(f"{text.count('- apiGroups:')} rules, {len(rules)} understood")
    return {f"{verb} {resource}" for resources, verbs in rules for resource in resources.split(", ") for verb in verbs.split(", ")}


def unused(results, names):
    """Rights that no story of these has used, and names of ELSEWHERE that are none."""
    folders = [os.path.join(results, name) for name in names]
    folders += [part.path for folder in folders if os.path.isdir(folder) for part in os.scandir(folder) if part.is_dir()]  # stories in stories
    used = {right for folder in folders for right in read(os.path.join(folder, FILE))}
    used |= {right.replace("list ", "watch ") for right in used if right.startswith("list ")}  # informers; a watch counts when it ends
    return sorted(granted() - used - set(ELSEWHERE)) + sorted(set(ELSEWHERE) - granted())
