"""Bindings with their authors and times, from the API server's audit log."""
import datetime
import json
import os

POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
          "rules": [{"level": "Metadata", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods/binding"]}]},
                    {"level": "None"}]}


def flags(folder):
    """For the API server, which is not up yet."""
    policy, log = os.path.join(folder, "audit-policy.json"), os.path.join(folder, "audit.log")
    with open(policy, "w", encoding="utf-8") as file:
        json.dump(POLICY, file)
    return f"--audit-policy-file={policy} --audit-log-path={log} --audit-log-mode=batch --audit-log-batch-max-wait=200ms"


class Binding:
    def __init__(self, event):
        reference = event["objectRef"]
        self.pod = (reference["namespace"], reference["name"])
        self.user = event["user"]["username"]
        self.code = event["responseStatus"]["code"]
        self.received = datetime.datetime.fromisoformat(event["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()
        self.done = datetime.datetime.fromisoformat(event["stageTimestamp"].replace("Z", "+00:00")).timestamp()


def bindings(folder):
    """Every request to bind a pod, in the order of its arrival."""
    found = []
    with open(os.path.join(folder, "audit.log"), encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                found.append(Binding(json.loads(line)))
    return sorted(found, key=lambda binding: binding.received)


class Counter:
    """The number of bound pods of a namespace; cheap enough for polling."""

    def __init__(self, folder):
        self.path, self.read_to, self.bound, self.times = os.path.join(folder, "audit.log"), 0, {}, {}

    def read(self):
        """`bound` has the names by namespace, `times` when the answer of each binding left, by namespace and name."""
        with open(self.path, "rb") as file:
            file.seek(self.read_to)
            text = file.read()
        text = text[: text.rfind(b"\n") + 1]
        self.read_to += len(text)
        for line in text.splitlines():
            binding = Binding(json.loads(line))
            if binding.code == 201:
                self.bound.setdefault(binding.pod[0], []).append(binding.pod[1])
                self.times[binding.pod] = binding.done

    def of(self, space):
        self.read()
        return len(self.bound.get(space, []))


def rate(found):
    """Bindings a second, from the arrival of the first to the answer of the last."""
    good = [b for b in found if b.code == 201]
    return (len(good) - 1) / (max(b.done for b in good) - min(b.received for b in good))
