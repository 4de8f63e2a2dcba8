"""The comment before a block of commands: why it is not run, and which test does the same.

    not run: REASON                           names of tests in it are looked up:
    not run: REASON; story NAME               a story of e2e/ that has every command of the block
    not run: REASON; story NAME runs WORDS    the same, for one of its commands
    not run: REASON; test NAME [runs WORDS]   a test of ctest, or SUITE.NAME of GoogleTest
    not run: REASON; instead: COMMANDS        what is run in its place, such as the same on a small size
    status: N                                 its last command ends with this status
    file: NAME                                what stands in the block (of any language) is this file for the commands after it
    output of: COMMAND [; but for KEYS]       the block is JSON that the command prints, shortened; values of KEYS (such as times) differ
"""
import dataclasses
import pathlib
import re

import pages


@dataclasses.dataclass
class Marker:
    reason: str = None     # why it is not run; None: it is
    instead: str = ""
    status: int = 0
    file: str = None
    output_of: str = None
    but_for: tuple = ()
    tests: list = dataclasses.field(default_factory=list)  # (kind, name, words or None)
    fault: str = ""


def marker_of(note):
    kind, _, rest = note.partition(":")
    rest = rest.strip()
    if kind == "status":
        return Marker(status=int(rest)) if rest.isdigit() else Marker(fault=f"status: found '{rest}'; allowed: a number")
    if kind == "file":
        return Marker(file=rest) if re.fullmatch(r"[\w.-]+", rest) else Marker(fault=f"file: found '{rest}'; allowed: a name without a folder")
    if kind == "output of":
        command, _, keys = rest.partition("; but for ")
        return Marker(output_of=command, but_for=tuple(keys.split(", ")))
    if kind != "not run":
        known = "not run, status, file, output of"
        return Marker(fault=f"found a comment '{note}'; allowed: {known}") if re.match(r"not[ -]run|status|file|output", note) else Marker()
    reason, _, instead = rest.partition("instead:")
    reason = reason.strip().rstrip(";").strip()
    tests = re.findall(r"(?:(?:^|; *)(test)|(?<!\ba )\b(story)) ([\w./]*\w)(?: runs ([^;]+))?", reason)
    if not re.search(r"\w \w", reason):
        return Marker(fault="not run: without a reason")
    return Marker(reason=reason, instead=instead.strip(), tests=[(test or story, name, words.strip() or None) for test, story, name, words in tests])


def code_of(file):
    """Without comments and docstrings, where a name is said and nothing is run."""
    return re.sub(r'""".*?"""|^\s*(?:#|//).*?$', "", file.read_text(), flags=re.M | re.S)


def text_of_story(root, name):
    """The story, the functions of e2e/kit that it calls, and the scripts of tests/ that it runs; None: there is none."""
    file = root / "e2e/stories" / f"{name}.py"
    if not file.exists():
        return None
    text = code_of(file)
    for module, function in sorted(set(re.findall(r"\b(\w+)\.(\w+)\(", text))):
        kit = root / "e2e/kit" / f"{module}.py"
        if kit.exists() and (found := re.search(rf"^def {function}\(.*?\n(?=\S|\Z)", code_of(kit), re.M | re.S)):
            text += "\n" + found[0]
    for folder, script in re.findall(r'"tests", "(\w+)", "(\w+)"', text):
        text += code_of(root / "tests" / folder / script)
    return text


def text_of_test(root, name):
    """Its line in CMake and the script that it runs, or the file of tests that has it; None: there is none."""
    if "." in name:
        suite, test = name.split(".", 1)
        wanted = re.compile(rf"\bTEST(_[FP])?\({suite},\s*{test}\)")
        return next((text for text in (code_of(file) for file in sorted(root.glob("tests/**/*.cpp"))) if wanted.search(text)), None)
    found = re.search(rf"add_test\(NAME {re.escape(name)} COMMAND ([^\n]+)\)", (root / "tests/CMakeLists.txt").read_text())
    if not found:
        return None
    text = found[1]
    for script in re.findall(r"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+)", text):
        if (root / "tests" / script).is_file():
            text += "\n" + code_of(root / "tests" / script)
    return text


def essentials(words):
    """The words that have to stand on one line (the program, and what it is told to do), and what has to stand anywhere: what it is about."""
    if "--" in words:  # what is run in a pod, with whatever is there
        return essentials(words[words.index("--") + 1:])[0], []
    words = pages.simple_command(words)
    plain, skip = [], False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in ("-n", "--namespace", "--values", "--set", "-o", "-l", "--name", "--type", "-p", "--config")
            continue
        plain.append(word)
    name = pathlib.PurePath(plain[0]).name
    many = {"kubectl": 3 if plain[1:2] == ["lips"] else 2, "helm": 2, "kind": 2, "lips": 2, "run": 2}.get(name, 1)
    nouns = [] if name in ("lips", "run") or plain[1:2] == ["lips"] else [
        pathlib.PurePath(noun).name for word in plain[many:] for noun in word.split(",") if not re.search(r"[A-Z]{3}", noun)]
    return [name, *plain[1:many]], nouns


def has(text, words):
    head, nouns = essentials(words)
    pattern = r"\b.*\b".join(re.escape(word) for word in head)
    return bool(re.search(rf"\b{pattern}\b", text)) and all(re.search(rf"(?<![\w-]){re.escape(noun)}(?![\w-])", text) for noun in nouns)


def faults(marker, commands, root=pages.ROOT):
    """The faults of the tests that the marker names for these commands."""
    for kind, name, said in marker.tests:
        text = text_of_story(root, name) if kind == "story" else text_of_test(root, name)
        if text is None:
            yield f"there is no {kind} {name}"
            continue
        if said and not any(has(command, pages.words_of(said)) for command in commands):
            yield f"the block has no command '{said}'"
        for command in [said] if said else commands:
            if not has(text, pages.words_of(command)):
                yield f"the {kind} {name} does not run '{command}'"
