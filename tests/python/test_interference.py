"""What else kept the host busy, and what shapes timings on it: from made-up /proc and /sys."""

import os
import sys

import pytest

from halocline.launch import Activity, interference, machine, process
from halocline.launch.interference import Counters

QUIET = Activity(other_cpus=0.202, stolen=0.0, waited=0.104, switches_per_s=894.2)
"""The most of each reading in launches of 0.1 s alone, as disturbances.py found."""
LOADED = Activity(other_cpus=0.678, stolen=0.0, waited=0.463, switches_per_s=249.7)
"""The least of each beside a busy loop."""


@pytest.fixture
def proc(tmp_path):
    """Write a /proc that has counted so many ticks of each kind, on every CPU."""

    def write(user=0, nice=0, system=0, idle=0, iowait=0, irq=0, softirq=0, steal=0, waited=0):
        ticks = f"{user} {nice} {system} {idle} {iowait} {irq} {softirq} {steal} 7 7"
        lines = [f"cpu  {ticks}", *(f"cpu{n} {ticks}" for n in os.sched_getaffinity(0)), "intr 9"]
        (tmp_path / "stat").write_text("\n".join(lines) + "\n")
        (tmp_path / "pressure").mkdir(exist_ok=True)
        (tmp_path / "pressure" / "cpu").write_text(
            f"some avg10=0.00 avg60=0.00 avg300=0.00 total={waited}\nfull avg10=0.00 total=0\n"
        )
        return tmp_path

    return write


def test_counters_are_seconds_of_the_usable_cpus(proc):
    second = os.sysconf("SC_CLK_TCK")
    found = interference.read(
        proc(second, second, second, 99, 99, second, second, second, waited=3_000_000)
    )
    cpus = interference.usable_cpus()
    assert (found.busy_s, found.stolen_s, found.waited_s) == (5 * cpus, cpus, 3.0)


def test_what_cannot_be_read_is_unknown(tmp_path):
    found = interference.read(tmp_path)
    assert (found.busy_s, found.stolen_s, found.waited_s) == (None, None, None)
    activity = Activity.between(found, interference.read(tmp_path))
    assert (activity.other_cpus, activity.stolen, activity.waited) == (None, None, None)
    assert Activity().disturbances(2, 2) == []


def test_a_batch_system_s_ranks_are_not_taken_for_others_work(proc, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    found = interference.read(proc())
    assert found.own_s is None and found.switches is None
    assert Activity.between(found, interference.read(proc(user=99))).other_cpus is None


def test_others_work_is_what_the_launch_did_not_do():
    before = Counters(10.0, 100.0, 5.0, 1.0, 50.0, 300)
    after = Counters(12.0, 106.0, 5.0 + 0.2 * interference.usable_cpus(), 2.0, 53.0, 1300)
    assert Activity.between(before, after) == Activity(1.5, 0.1, 0.5, 500.0)
    assert Activity.between(before, Counters(12.0, 101.0, 5.0, 1.0, 53.0, 300)).other_cpus == 0


def test_a_child_s_time_counts_as_its_own():
    before = interference.read()
    process.run([sys.executable, "-c", "sum(range(3_000_000))"])
    after = interference.read()
    assert after.own_s > before.own_s and after.time_s > before.time_s


@pytest.mark.parametrize(
    ("activity", "threads", "said"),
    [
        (QUIET, 2, []),
        (LOADED, 2, ["other work on 0.7 CPUs", "threads waited for a CPU in 46 % of the time"]),
        (LOADED, 1, ["threads waited for a CPU in 46 % of the time"]),
        (Activity(0.5, 0.0, 0.02, 20.0), 2, ["other work on 0.5 CPUs"]),
        (Activity(0.5, 0.0, 0.02, 20.0), 1, []),
        (Activity(1.5, 0.0, 0.02, 20.0), 1, ["other work on 1.5 CPUs"]),
        (Activity(0.0, 0.12, 0.02, 20.0), 2, ["12 % of the CPUs' time stolen by the hypervisor"]),
        (Activity(0.0, 0.0, 0.4, 20.0), 2, ["threads waited for a CPU in 40 % of the time"]),
        (Activity(0.0, 0.0, 0.4, 2000.0), 4, []),
    ],
)
def test_what_disturbs_depends_on_who_needs_the_cpus(activity, threads, said):
    assert activity.disturbances(threads, cpus=2) == said


def test_settings_are_read_where_linux_keeps_them(tmp_path):
    for name, text in {
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "intel_pstate\n",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
        "sys/devices/system/cpu/smt/active": "1\n",
        "sys/devices/system/cpu/isolated": "\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "proc/sys/kernel/numa_balancing": "0\n",
        "proc/cpuinfo": "flags : fpu hypervisor\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = machine.settings(tmp_path)
    assert found["CPU governor"] == "performance, powersave"
    assert found["frequency driver"] == "intel_pstate"
    assert (found["turbo"], found["SMT"], found["NUMA balancing"]) == ("off", "on", "off")
    assert (found["isolated CPUs"], found["virtual machine"]) == ("none", "yes")
    assert found["transparent huge pages"] == "madvise"
    assert found["clock"] == "unknown"


def test_settings_that_cannot_be_read_are_unknown(tmp_path):
    found = machine.settings(tmp_path)
    assert set(list(found.values())[:-2]) == {"unknown"}
    (tmp_path / "sys/devices/system/cpu/cpufreq").mkdir(parents=True)
    (tmp_path / "sys/devices/system/cpu/cpufreq/boost").write_text("1")
    assert machine.settings(tmp_path)["turbo"] == "on"
