"""One story: its folder, its figures with their bars, and how it ends."""
import os
import time


class StoryFailed(Exception):
    """A promise was broken."""


class Missing(Exception):
    """The story cannot run here; the message names the missing requirement."""


class Story:
    def __init__(self, name, folder, full=False, seed=1, lips="", options=None):
        """`options`: as parsed, with those that the story has added."""
        self.name, self.folder, self.full, self.seed, self.lips, self.options = name, folder, full, seed, lips, options
        self.figures = []
        self.failures = []
        self.began = time.monotonic()
        os.makedirs(folder, exist_ok=True)

    def part(self, name):
        """A story in this one, with a folder and a cluster of its own, for a process of its own."""
        return Story(f"{self.name}-{name}", os.path.join(self.folder, name), self.full, self.seed, self.lips, self.options)

    def say(self, text):
        line = f"{time.monotonic() - self.began:7.2f} s  {text}"
        print(line, flush=True)

    def figure(self, what, value, unit="", at_most=None, at_least=None, digits=2):
        """A measured figure. Missing its threshold fails the story, but only at its end, so that all figures are printed."""
        text = f"{what}: {value:.{digits}f}{' ' + unit if unit else ''}" if isinstance(value, float) else f"{what}: {value}{' ' + unit if unit else ''}"
        bar = f"at most {at_most}" if at_most is not None else f"at least {at_least}" if at_least is not None else ""
        missed = (at_most is not None and value > at_most) or (at_least is not None and value < at_least)
        if bar:
            text += f" ({bar})"
        self.figures.append(text)
        self.say("figure  " + text)
        if missed:
            self.failures.append("missed: " + text)

    def check(self, holds, otherwise):
        """A promise: breaking it ends the story."""
        if not holds:
            raise StoryFailed(otherwise() if callable(otherwise) else otherwise)

    def expect(self, holds, otherwise):
        """A promise: breaking it fails the story, but only at its end."""
        if not holds:
            text = otherwise() if callable(otherwise) else otherwise
            self.failures.append(text)
            self.say("BROKEN  " + text)

    def finish(self):
        if self.failures:
            raise StoryFailed("; ".join(self.failures))
