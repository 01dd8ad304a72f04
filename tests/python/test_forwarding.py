"""bench/forwarding.py: loads in loops that no store can be forwarded to, in compiled files."""

import importlib.util
import platform
import subprocess
import sys

import pytest
from commands import why_not
from conftest import ROOT

SCRIPT = ROOT / "bench" / "forwarding.py"
other_machine = "" if platform.machine() == "x86_64" else "the instructions are x86-64's"
SPEC = importlib.util.spec_from_file_location("forwarding", SCRIPT)
forwarding = importlib.util.module_from_spec(SPEC)
sys.modules["forwarding"] = forwarding
SPEC.loader.exec_module(forwarding)

# What an assembler reads, in a loop of its own each time: `.intel_syntax noprefix`.
HALVES = "vmovapd [rsp], ymm0; vmovapd [rsp+32], ymm1; vaddpd zmm2, zmm2, zmmword ptr [rsp]"
BODIES = {
    "two halves, then the whole": (HALVES, 32),
    "parts of another base": (HALVES.replace("rsp", "rdi"), 32),
    "a part, behind an index": (
        "mov [rdi+rax*8+8], rcx; vmovupd xmm0, xmmword ptr [rdi+rax*8]", 8),
    "a load that begins before": ("vmovupd [rdi], ymm0; vmovupd ymm1, ymmword ptr [rdi-8]", 32),
    "the base moved by a constant": (
        "mov [rdi], rcx; add rdi, 8; vmovupd xmm0, xmmword ptr [rdi-8]", 8),
    "from turn to turn": ("vmovupd xmm0, xmmword ptr [rdi]; mov [rdi], rcx", 8),
    "to add": ("mov [rdi], rcx; vaddpd xmm0, xmm0, xmmword ptr [rdi]", 8),
    "the whole, then the whole": ("vmovupd [rdi], ymm0; vmovupd ymm1, ymmword ptr [rdi]", None),
    "the whole, then a part": ("vmovupd [rdi], ymm0; vmovupd xmm1, xmmword ptr [rdi+16]", None),
    "parts, overwritten by the whole": (
        "mov [rdi], rcx; vmovupd [rdi], xmm2; vmovupd xmm0, xmmword ptr [rdi]", None),
    "beside each other": ("mov [rdi+16], rcx; vmovupd xmm0, xmmword ptr [rdi]", None),
    "another base": ("mov [rdi], rcx; vmovupd xmm0, xmmword ptr [rsi]", None),
    "a base that has changed": (
        "mov [rdi], rcx; mov rdi, rdx; vmovupd xmm0, xmmword ptr [rdi]; mov rdi, r8", None),
    "an address alone": ("mov [rdi], rcx; lea rdx, [rdi]; prefetcht0 [rdi]", None),
}  # fmt: skip


@pytest.fixture
def assembled(tmp_path):
    """Give the pairs of a function that an assembler makes of these lines."""
    if why := why_not("as") or other_machine:
        pytest.skip(why)

    def pairs(*lines):
        source, file = tmp_path / "a.s", tmp_path / "a.o"
        text = "\n".join([".intel_syntax noprefix", "f:", *lines])
        source.write_text(f"{text}\n.type f, @function\n")
        subprocess.run(["as", source, "-o", file], check=True)
        return forwarding.pairs_in(file)

    return pairs


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_pairs(body, assembled):
    lines, size = body
    found = assembled("1:", *lines.split("; "), "dec r9", "jnz 1b", "ret")
    assert {pair.store.stored.size for pair in found} == ({size} if size else set())
    assert all(pair.function == "f" for pair in found)


def test_what_is_in_no_loop(assembled):
    assert not assembled(*HALVES.split("; "), "1: dec r9", "jnz 1b", "ret")


def test_the_smallest_loop_is_named_and_what_lies_between(assembled):
    (pair,) = assembled(
        "1: mov r8, 9", "2: mov [rsp], rcx", "nop", "vmovupd xmm0, xmmword ptr [rsp]",
        "dec r8", "jnz 2b", "dec r9", "jnz 1b", "ret")  # fmt: skip
    assert (pair.loop, pair.between) == (5, 2)
    assert pair.load.address - pair.store.address == 5


@pytest.mark.parametrize(("register", "of"), [
    ("eax", "rax"), ("al", "rax"), ("ah", "rax"), ("r8d", "r8"), ("r10b", "r10"), ("sil", "rsi"),
    ("esp", "rsp"), ("bp", "rbp"), ("rip", "rip"), ("zmm3", "zmm3"), ("k1", "k1"),
])  # fmt: skip
def test_registers_are_parts_of_others(register, of):
    assert forwarding.whole(register) == of


# The compiler is told that somebody may look at the parts before they are loaded.
VECTOR = """
typedef double Half __attribute__((vector_size(32)));
typedef double Whole __attribute__((vector_size(64)));
Whole sum(const Half* from, const int* at, long count) {
  union { Half half[2]; Whole whole; } all;
  Whole sum = {};
  for (long k = 0; k < count; k += 2) {
    all.half[0] = from[at[k]];
    all.half[1] = from[at[k + 1]];
    asm volatile("" : : "r"(&all) : "memory");
    sum += all.whole;
  }
  return sum;
}
"""


def test_a_vector_put_together_from_halves(tmp_path, capsys, monkeypatch):
    if why := why_not("g++") or other_machine:
        pytest.skip(why)
    source, file = tmp_path / "v.cpp", tmp_path / "v.o"
    source.write_text(VECTOR)
    command = ["g++", "-O2", "-march=skylake-avx512", "-mprefer-vector-width=512", "-g1"]
    subprocess.run([*command, "-c", source, "-o", file], check=True)
    pairs = forwarding.pairs_in(file)
    assert pairs
    for pair in pairs:
        assert (pair.store.stored.size, pair.load.loaded.size) == (32, 64)
        assert pair.load.line.startswith("v.cpp:")
    monkeypatch.setattr(sys, "argv", ["forwarding.py", str(file)])
    forwarding.main()
    assert f"v.o: {len(pairs)} loads that wait for stores" in capsys.readouterr().out
