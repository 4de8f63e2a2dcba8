"""Runs of one story, each in a process, a folder and a cluster of its own."""
import ctypes
import json
import multiprocessing
import os
import signal
import time

RESULT = "bill.json"


def keep(story, found, name=RESULT):
    with open(os.path.join(story.folder, name), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)


def apart(story, key, run):
    """The process ends with this one; its output goes to its folder."""
    part = story.part("-".join(key))

    def work():
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        output = os.open(os.path.join(part.folder, "run.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        run(part, *key)

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process, part


def results(story, keys, at_once, run, line):
    """The RESULT that `run(part, *key)` has kept, by key, of all that succeed; `line` tells of one."""
    waiting, running, found = list(keys), {}, {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                key = waiting.pop(0)
                running[key] = apart(story, key, run)
            time.sleep(0.5)
            for key in [key for key, (process, _) in running.items() if not process.is_alive()]:
                process, part = running.pop(key)
                path = os.path.join(part.folder, RESULT)
                if process.exitcode == 0 and os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        found[key] = json.load(file)
                    story.say(line(found[key]))
                else:
                    story.expect(False, f"{'/'.join(key)} failed: see {part.folder}/run.log")
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.join(60)
    return {key: found[key] for key in keys if key in found}
