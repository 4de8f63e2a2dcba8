"""Programs that a Python file starts: the first word of what goes to `subprocess`, to the kit's `Process`, and to functions that hand it on."""
import ast

STARTERS = {"subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput"},
            "os": {"system", "popen", "execv", "execve", "execvp", "execvpe", "execl", "execlp", "posix_spawn", "posix_spawnp"}}
DEPTH = 5  # names that stand for names


class Module:
    """A file that is read: `started` has line and name of each program whose name is written there. Others are this repository's own."""

    def __init__(self, text):
        self.tree = ast.parse(text)
        self.values = {target.id: node.value for node in ast.walk(self.tree) if isinstance(node, ast.Assign)
                       for target in node.targets if isinstance(target, ast.Name)}
        self.loops = {node.target.id: node.iter for node in ast.walk(self.tree) if isinstance(node, ast.For) and isinstance(node.target, ast.Name)}
        self.started = []
        for call in self.calls():
            if command := self.command_of(call):
                self.note(command)
        for name, value in self.values.items():
            if isinstance(value, ast.Lambda) and value.args.vararg and self.hands_on(value.body, value.args.vararg.arg):
                self.note_calls_of(name)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.args.vararg and any(self.hands_on(inner, node.args.vararg.arg) for inner in node.body):
                self.note_calls_of(node.name)

    def calls(self, tree=None):
        return [node for node in ast.walk(tree or self.tree) if isinstance(node, ast.Call)]

    def command_of(self, call):
        """The command that a call starts, or None."""
        function = call.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.attr in STARTERS.get(function.value.id, ()):
            return call.args[0]
        if isinstance(function, ast.Name) and function.id == "Process" and len(call.args) > 2:
            return call.args[2]
        return None

    def hands_on(self, tree, words):
        """True if it starts its own arguments `words`, from the first on."""
        commands = [command for call in self.calls(tree) if (command := self.command_of(call))]
        firsts = [command.elts[0].value if isinstance(command, ast.List) and isinstance(command.elts[0], ast.Starred) else command for command in commands]
        return any(isinstance(first, ast.Name) and first.id == words for first in firsts)

    def note_calls_of(self, name):
        for call in self.calls():
            if isinstance(call.func, ast.Name) and call.func.id == name and call.args:
                self.note(call.args[0])

    def note(self, command, depth=0):
        if depth > DEPTH:
            return
        if isinstance(command, ast.Starred):
            command = command.value
        if isinstance(command, (ast.List, ast.Tuple)) and command.elts:
            self.note(command.elts[0], depth)
        elif isinstance(command, ast.BinOp):
            self.note(command.left, depth)
        elif isinstance(command, ast.Name) and command.id in self.loops:
            for one in getattr(self.loops[command.id], "elts", ()):
                if isinstance(one, (ast.List, ast.Tuple)):
                    self.note(one, depth)
        elif isinstance(command, ast.Name) and command.id in self.values:
            self.note(self.values[command.id], depth + 1)
        elif isinstance(command, ast.Constant) and isinstance(command.value, str):
            self.started.append((command.lineno, command.value))
