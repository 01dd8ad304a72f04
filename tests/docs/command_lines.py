"""Command lines of pages: whether their programs, verbs and options are there, without running any.

What stands in capitals (`PROGRAM`, `RANKS`) or as `...` is the reader's to fill in.
"""

import functools
import itertools
import re
import shlex
import subprocess

import typer
from halocline.cli.main import app
from halocline.errors import HaloclineError
from pages import CODE, ROOT

BUILD = ROOT / "build" / "release"
COMMAND = typer.main.get_command(app)
PROGRAMS = {
    path.name: path
    for folder in (*(ROOT / name for name in ("apps", "tools", "examples", "tests")), BUILD / "bin")
    for path in sorted(folder.glob("*"))
    if path.is_dir() or folder.name == "bin"
}
"""The programs of this build; where one is not built, the folder of its sources."""
LAUNCHERS = {"mpiexec", "mpirun", "srun", "env", "exec", "jsrun", "ibrun"}
OTHERS = {
    *(
        "[",
        "cd",
        "cut",
        "date",
        "echo",
        "exit",
        "export",
        "grep",
        "gzip",
        "mkdir",
        "sed",
        "sort",
        "uniq",
    ),
    *("apt", "wc"),
    *("cmake", "gfortran", "git", "ifx", "make", "mpicc", "mpicxx", "ninja", "pip"),
    *("apptainer", "docker", "scontrol", "sha256sum", "ssh-keygen"),
}
"""Programs of others that pages start."""
OPEN = re.compile(r"[A-Z]+(_[A-Z]+)*|.*(\.\.\.|\$).*")
"""A word that the reader fills in."""


@functools.cache
def said_by(*words):
    """Return what a command says."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout + done.stderr


def options_in(text):
    """Return all words of a text that look like options."""
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))


def program_options(name, words):
    """Return the options of a program of ours and of its subcommands among the words."""
    path = PROGRAMS[name]
    subcommands = (word for word in words if re.fullmatch("[a-z][a-z-]+", word))
    texts = [said_by(path, "--help"), *(said_by(path, one, "--help") for one in subcommands)]
    return options_in(" ".join(texts)) | {"--help"}


def wrong_options(words, options, name):
    """Yield the options among the words that are none of these."""
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][\w-]*", option) and option not in options:
            yield f"{name} has no {option}"


def wrong_program(name, words):
    """Yield what is wrong with the words behind a program of ours."""
    if PROGRAMS[name].is_file():
        yield from wrong_options(words, program_options(name, words), name)


def wrong_verb(words, parsed=True):
    """Yield what is wrong with the words behind `halocline`; perhaps by the verb's own parser."""
    command, path, rest = COMMAND, "halocline", list(words)
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        if OPEN.fullmatch(rest[0]):
            return
        if rest[0] not in command.commands:
            yield f"{path} has no verb {rest[0]}"
            return
        command, path = command.commands[rest[0]], f"{path} {rest.pop(0)}"
    if path.endswith("submit"):
        at = next((at for at, word in enumerate(rest) if word in COMMAND.commands), len(rest))
        yield from wrong_verb(rest[at:], parsed)
        rest = rest[:at]
    own = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    before = list(itertools.takewhile(lambda word: word != "--", rest))
    if command.context_settings.get("ignore_unknown_options"):  # a program's own are among them
        name = next((word for word in before if word in PROGRAMS), None)
        if path.startswith("halocline bench"):
            name = "halometer"
        if name and PROGRAMS[name].is_file():
            of_program = program_options(name, path.split()[2:])
            yield from wrong_options(rest[len(before) :], of_program, name)
            own |= of_program
    yield from wrong_options(before, own, path)
    if parsed and rest and not any(map(OPEN.fullmatch, words)):
        try:
            command.make_context(path, rest)
        except (typer.BadParameter.__base__, HaloclineError) as problem:
            yield f"{path}: {getattr(problem, 'message', problem)}"


def wrong_dev(words, parsed):
    """Yield what is wrong with the words behind `./dev`."""
    if f"\n  {words[0]} " not in said_by("./dev", "help"):
        yield f"there is no ./dev {words[0]}"
    elif words[0] in ("bench", "demo"):
        yield from wrong_verb(words, parsed)
    elif words[0] == "build":
        yield from wrong_targets(words[1:])


@functools.cache
def words_of_cmake():
    """Return all words of the tree's CMake files, so of the names of targets, too."""
    files = [file for folder in CODE for file in (ROOT / folder).rglob("*")
             if file.name == "CMakeLists.txt" or file.suffix == ".cmake"]  # fmt: skip
    return set(re.findall(r"[\w-]+", " ".join(file.read_text("utf-8") for file in files)))


def wrong_targets(names):
    """Yield which of these nothing is built as."""
    unknown = [name for name in names if name not in words_of_cmake()]
    yield from (f"there is no target {name}" for name in unknown)


def wrong_script(path, words):
    """Yield what is wrong with the options of a script of ours; its folder has its parsers."""
    if not (ROOT / path).is_file():
        yield f"there is no {path}"
        return
    texts = [file.read_text("utf-8") for file in (ROOT / path).parent.glob("*.py")]
    own = itertools.takewhile(lambda word: word != "--" and word not in PROGRAMS, words)
    yield from wrong_options(own, options_in(" ".join(texts)), path)


def wrong_tests(words):
    """Yield which patterns of `ctest` match no test."""
    for flag, pattern in zip(words, words[1:]):
        if flag in ("-R", "-L"):
            said = said_by("ctest", "--test-dir", BUILD, "-N", flag, pattern)
            if "Total Tests: 0" in said:
                yield f"no test has {flag} {pattern}"


def without_patterns(case):
    """Return the commands of all branches of a `case`."""
    return ";".join(branch.partition(")")[2] for branch in case[1].split(";;"))


def simple_commands(text):
    """Yield the words of each command of a piece of shell."""
    text = text.replace("\\\n", " ")
    text = re.sub(r"^\w+=\$\((.*)\)$", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"\bcase \S+ in\b(.*?)\besac\b", without_patterns, text, flags=re.DOTALL)
    for name, value in re.findall(r'^(\w+)="([^"$]*)"$', text, re.MULTILINE):
        text = text.replace(f"${name}", value)
    for line in text.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
        lexer.whitespace_split = True
        words = []
        for word in [*lexer, ";"]:
            if re.fullmatch(r"do|done|then|!|[;&|]+", word):
                if words and words[0] != "for":
                    yield words
                words = []
            elif words or not re.match(r"\w+=", word):
                words.append(word)


def wrong(text, parsed=True):
    """Yield what is wrong with a piece of shell, which may be a part of a command: not `parsed`."""
    for words in simple_commands(text):
        yield from wrong_command(words, parsed)


def wrong_command(words, parsed):
    """Yield what is wrong with the words of one command."""
    first, rest = words[0].rpartition("/")[2], words[1:]
    if first in LAUNCHERS or words[:2] == ["./dev", "mpiexec"]:
        starts = (at for at, word in enumerate(rest) if word.rpartition("/")[2] in
                  {*PROGRAMS, "sh", "python"})  # fmt: skip
        at = next(starts, None)
        yield from wrong_command(rest[at:], parsed) if at is not None else ()
    elif words[:2] == ["sh", "-c"]:
        yield from wrong(words[2], parsed)
    elif first == "halocline":
        yield from wrong_verb(rest, parsed)
    elif words[0] == "./dev":
        yield from wrong_dev(rest, parsed)
    elif first in ("python", "python3", "sh"):
        yield from wrong_script(rest[0], rest[1:]) if re.search(r"\w/.*\.(py|sh)$", rest[0]) else ()
    elif first == "ctest":
        yield from wrong_tests(rest)
    elif first == "halocline-preload":
        yield from wrong_program(first, itertools.takewhile(lambda word: word != "./app", rest))
    elif first in PROGRAMS:
        yield from wrong_program(first, rest)
    elif "tests/bin/" in words[0]:
        yield from wrong_targets([first])
    elif first not in OTHERS and not OPEN.fullmatch(words[0]):
        yield f"nobody knows {words[0]}"
