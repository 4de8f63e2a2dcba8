"""Programs that a script for bash starts: the words where a command stands, also in $(...), in arguments that are scripts, and behind `exec` and the like."""
import re

# Words that run the command behind their options and so many arguments, those of our scripts among them.
BEFORE_COMMANDS = {"exec": 0, "nice": 0, "setsid": 0, "xargs": 0, "env": 0, "nohup": 0, "sudo": 0, "timeout": 1, "unshare": 0, "not": 0, "nsenter": 0,
                   "aside": 1, "check": 1, "component": 1, "launch": 1, "logged": 1, "refused": 1, "wait_until": 1}
BEFORE_SCRIPTS = ("trap", "eval")
BEFORE_OTHERS = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "fi", "done"}
UNKNOWN = "\0"  # stands in a word for a part that depends on variables
ASSIGNMENT = re.compile(r"\w+(\[[^]]*\])?\+?=")


class Script:
    """A script that is read: `started` has line and name of each command, `functions` the names of those that it defines."""

    def __init__(self, text, line=1):
        self.text, self.at, self.first_line = text + "\n", 0, line
        self.started, self.functions, self.heredocs = [], set(), []
        self.commands("")

    def ahead(self, pattern):
        return re.compile(pattern, re.S).match(self.text, self.at)

    def skip(self, pattern):
        self.at = self.ahead(pattern).end()

    def commands(self, end):
        """Reads up to the bracket `end`; "": to the end of the text."""
        words, line = [], 0
        cases, in_pattern = 0, False  # open `case`; True: before the bracket behind a pattern
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == end and not in_pattern:
                break
            if self.ahead(r"[ \t]|\\\n"):
                self.skip(r"[ \t]|\\\n")
            elif char == "#":
                self.skip(r"[^\n]*")
            elif char in "\n;&|":
                self.note(words, line)
                words = []
                in_pattern = in_pattern or bool(cases) and self.text.startswith(";;", self.at)
                self.skip(r"\n|[;&|]+")
                if char == "\n":
                    self.skip_heredocs()
            elif char == ")":
                words, in_pattern = [], False
                self.at += 1
            elif char == "(":
                if words in ([], ["for"]) and self.ahead(r"\(\("):
                    self.arithmetic()
                elif len(words) == 1:
                    self.functions.add(words.pop())
                    self.skip(r"\(\s*\)")
                else:
                    self.at += 1
                    if not in_pattern:
                        self.commands(")")
            elif self.ahead(r"\d*[<>](?!\()"):
                self.redirection()
            else:
                if not words:
                    line = self.first_line + self.text.count("\n", 0, self.at)
                word = self.word()
                if in_pattern or not words and word == "esac":
                    if word == "esac":
                        cases, in_pattern = cases - 1, False
                elif words or word not in BEFORE_OTHERS | {"case", "[["} and not ASSIGNMENT.match(word):
                    words.append(word)
                elif word == "case":
                    self.skip(r"\s*")
                    self.word()
                    self.skip(r"\s*in\b")
                    cases, in_pattern = cases + 1, True
                elif word == "[[":
                    while not self.ahead(r"\s\]\]"):
                        self.piece()
                    self.skip(r"\s\]\]")
        self.note(words, line)
        self.at += len(end)

    def note(self, words, line):
        if not words or UNKNOWN in words[0]:
            return
        name, rest = words[0], words[1:]
        if name == "command" and rest and not rest[0].startswith("-"):
            return self.note(rest, line)
        self.started.append((line, name))
        script = rest[:1] if name in BEFORE_SCRIPTS and rest[:1] != ["-"] else rest[rest.index("-c") + 1:][:1] if name in ("bash", "sh") and "-c" in rest else []
        for text in script:
            inner = Script(text, line)
            self.started += inner.started
            self.functions |= inner.functions
        if name in BEFORE_COMMANDS:
            arguments = BEFORE_COMMANDS[name]
            option = False
            while rest and (arguments or re.match(r"-|\d|\w+=", rest[0]) or option and rest[0] == UNKNOWN):
                option = rest[0].startswith("-")
                arguments -= arguments > 0 and not option
                rest = rest[1:]
            self.note(rest, line)

    def word(self):
        out = ""
        while not self.ahead(r"[ \t\n;|&)]|[<>](?!\()"):
            if self.ahead(r"\("):
                if not ASSIGNMENT.fullmatch(out):
                    break
                self.at += 1  # an array
                while not self.ahead(r"\s*\)"):
                    self.skip(r"(\s|#[^\n]*)*")
                    if not self.ahead(r"\)"):
                        self.word()
                self.skip(r"\s*\)")
            else:
                out += self.piece()
        return out

    def piece(self):
        """The next letter, quoted text or expansion."""
        begin = self.at
        if self.ahead("'"):
            self.skip("'[^']*'")
            return self.text[begin + 1:self.at - 1]
        if self.ahead('"'):
            out = ""
            self.at += 1
            while not self.ahead('"'):
                out += self.letter(r"\$\(")
            self.at += 1
            return out
        return self.letter(r"[$<>]\(")

    def letter(self, script):
        """The next letter or expansion; `script` is the pattern by which a script in it begins."""
        begin = self.at
        if self.ahead(r"\\"):
            self.at += 2
            return self.text[begin + 1:self.at]
        if self.ahead(r"\$\(\("):
            self.at += 1
            self.arithmetic()
        elif self.ahead(script):
            self.at += 2
            self.commands(")")
        elif self.ahead("`"):
            self.at += 1
            self.commands("`")
        elif self.ahead(r"\$\{"):
            self.at += 2
            while not self.ahead(r"\}"):
                self.piece()
            self.at += 1
        elif self.ahead(r"\$'"):
            self.skip(r"\$'(\\.|[^'\\])*'")
        elif self.ahead(r"\$(\w+|[@*#?$!-])"):
            self.skip(r"\$(\w+|[@*#?$!-])")
        else:
            self.at += 1
            return self.text[begin]
        return UNKNOWN

    def arithmetic(self):
        self.at += 2
        depth = 0
        while depth or not self.ahead(r"\)\)"):
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.piece()
        self.at += 2

    def redirection(self):
        heredoc = self.ahead(r"<<(?!<)-?\s*(['\"\\]?)(\w+)['\"]?")
        if heredoc:
            self.heredocs.append((heredoc[2], bool(heredoc[1])))
            self.at = heredoc.end()
        else:
            self.skip(r"\d*[<>]+[&|]?[ \t]*")
            self.word()

    def skip_heredocs(self):
        heredocs, self.heredocs = self.heredocs, []
        for end, plain in heredocs:
            close = re.compile(rf"^\t*{end}$", re.M).search(self.text, self.at)
            while not plain and self.at < close.start():
                self.letter(r"\$\(")
            self.at = close.end()
