"""Kubernetes quantities, and the requests of a pod (as kube-scheduler counts them, for the pods of the stories)."""
from fractions import Fraction

SUFFIXES = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1), "k": Fraction(1000), "M": Fraction(10**6),
            "G": Fraction(10**9), "T": Fraction(10**12), "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40)}


def quantity(text):
    text = str(text)
    number = text.rstrip("numkMGTKi")
    return Fraction(number) * SUFFIXES[text[len(number):]]


def amount(resource, text):
    """Thousandths of a core for cpu, units for everything else."""
    value = quantity(text) * (1000 if resource == "cpu" else 1)
    return -(-value.numerator // value.denominator)


def pod_requests(pod):
    total = {"pods": 1}
    for container in pod["spec"]["containers"]:
        for resource, text in container.get("resources", {}).get("requests", {}).items():
            total[resource] = total.get(resource, 0) + amount(resource, text)
    return total
