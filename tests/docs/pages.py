"""Pages of documentation: their code blocks, the commands in these, and the comments that say what becomes of them."""
import dataclasses
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND_PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md")
SHELL = {"sh", "bash", "shell", "console", "indented"}  # what blocks of commands are called; console: after "$ ", between them what they print


@dataclasses.dataclass
class Block:
    line: int      # of its fence, or its first line
    language: str  # of the fence; "" without one, "indented" without a fence
    note: str      # the text of the comment before it
    lines: list


@dataclasses.dataclass
class Command:
    text: str
    shown: list  # the lines that the page shows as its output; None: it shows none


def pages(root=ROOT, patterns=COMMAND_PAGES):
    return sorted({page for pattern in patterns for page in root.glob(pattern)})


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def dedented(lines):
    least = min((indent_of(line) for line in lines if line.strip()), default=0)
    return [line[least:] for line in lines]


def blocks(text):
    """The blocks of the page, and the comments that stand before no block, with their lines."""
    lines, found, lost = text.splitlines(), [], []
    note, at, item, after_blank = None, 0, 0, True  # item: where the content of the present list item begins
    while at < len(lines):
        line, begin = lines[at], at
        at += 1
        fence = re.fullmatch(r" *(`{3,})(\S*)\s*", line)
        if line.strip().startswith("<!--"):
            while "-->" not in lines[at - 1] and at < len(lines):
                at += 1
            note = (begin + 1, " ".join(" ".join(lines[begin:at]).split()).removeprefix("<!--").removesuffix("-->").strip())
            after_blank = True
            continue
        if fence:
            while at < len(lines) and lines[at].strip() != fence[1]:
                at += 1
            found.append(Block(begin + 1, fence[2], note[1] if note else "", dedented(lines[begin + 1:at])))
            at, note = at + 1, None
        elif not line.strip():
            after_blank = True
            continue
        elif after_blank and indent_of(line) >= item + 4:
            while at < len(lines) and (not lines[at].strip() or indent_of(lines[at]) >= item + 4):
                at += 1
            found.append(Block(begin + 1, "indented", note[1] if note else "", dedented("\n".join(lines[begin:at]).rstrip().split("\n"))))
            note = None
        else:
            if note:
                lost.append(note)
            note = None
            listed = re.match(r" *(?:[-*+]|\d+\.) +", line)
            if listed:
                item = listed.end()
            elif after_blank and indent_of(line) < item:
                item = 0
        after_blank = False
    return found, lost + ([note] if note else [])


def commands(block):
    """The commands of a block: one for each line, with the lines that it goes on in."""
    found, open_line = [], False
    for line in block.lines:
        prompted = line.startswith("$ ")
        if open_line:
            found[-1].text += "\n" + line
        elif block.language == "console" and not prompted:
            if found:
                found[-1].shown = (found[-1].shown or []) + [line]
            continue
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append(Command(line.removeprefix("$ ") if block.language == "console" else line, None))
        else:
            continue
        open_line = bool(re.search(r"(\\|\||&&)$", line.rstrip()))
    return found


def words_of(line):
    """As a shell reads them, without a comment."""
    try:
        return shlex.split(line.replace("\\\n", " "), comments=True)
    except ValueError:
        return line.split()


def simple_command(words):
    """From the program on, without what is set for it; the first of several that are joined, without redirections."""
    while words and (re.match(r"^[A-Z_]+=", words[0]) or words[0] in ("$", "sudo", "time", "exec")):
        words = words[1:]
    for end in ("|", ">", "<", "&&", ";", "&", "2>"):
        if end in words:
            words = words[:words.index(end)]
    return words
