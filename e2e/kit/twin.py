"""The twin of an operator's journal (`lips twin`): what kube-scheduler would have paid for the same work."""
import json
import statistics
import subprocess

from kit.story import StoryFailed

KUBE = "spread"  # kube-scheduler as it is installed


def of_journal(lips, journal):
    """Dollars of nodes and of transfer until the last job ends: of kube-scheduler's twin, and of the twin of what ran."""
    asked = subprocess.run([lips, "twin", journal, "--policy", KUBE, "--format", "json", "--no-progress"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise StoryFailed(f"lips twin {journal}: {asked.stderr[-600:]}")
    found = json.loads(asked.stdout)
    regimes = {"ran" if regime["ran"] else regime["policy"]: regime for regime in found["regimes"]}
    dollars = lambda name: regimes[name]["invoice"]["nodes"] + regimes[name]["invoice"]["transfer"]
    return {"kube": dollars(KUBE), "ran": dollars("ran"), "kubeCompletion": regimes[KUBE]["completionSeconds"]["mean"],
            "ranCompletion": regimes["ran"]["completionSeconds"]["mean"], "counted": found["counted"]["total"] if found["counted"] else None,
            "error": found.get("error"), "notKnown": found["notKnown"]}


def compare(story, bills, truth="toLastTask"):
    """Each LiPS run's twin of kube-scheduler beside the bill of the run that kube-scheduler had, and the saving that it claims beside the true one."""
    errors, points = [], []
    for (load, pair), one in bills.items():
        if "twin" not in one or (load, "kube") not in bills:
            continue
        kube, said = bills[load, "kube"][truth], one["twin"]
        error, claimed, true = said["kube"] / kube - 1, 1 - said["ran"] / said["kube"], 1 - one[truth] / kube
        errors.append(abs(error))
        points.append(abs(claimed - true))
        story.figure(f"{load}/{pair}: kube-scheduler's invoice by the twin, and as it was",
                     f"{said['kube']:.3f} for {kube:.3f} USD ({100 * error:+.1f} %); saving {100 * claimed:.1f} % for {100 * true:.1f} %; "
                     f"the twin's own {said['ran']:.3f} for {one[truth]:.3f}")
    if errors:
        story.figure(f"the twin of kube-scheduler, {len(errors)} pairs: mean error of the invoice, points of the saving",
                     f"{100 * statistics.mean(errors):.1f} %  {100 * statistics.mean(points):.1f}")
