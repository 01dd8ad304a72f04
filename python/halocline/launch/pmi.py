"""PMI-1, by which the ranks of MPICH and Intel MPI find each other, for ranks that others start.

Lines of `name=value` over a socket; `PMI_PORT` and `PMI_ID` tell a rank where and who it is. What
one rank puts under a key, all others can get after the next barrier.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Sequence
from itertools import groupby


class Server:
    """Serves a job of so many ranks until it is closed."""

    def __init__(self, hosts: Sequence[str], abort: Callable[[str], None]) -> None:
        """Listen; `hosts` names each rank's, `abort` is told when a rank ends the job."""
        self.ranks = len(hosts)
        self._abort = abort
        nodes = list(dict.fromkeys(hosts))
        blocks = [(nodes.index(host), len(list(some))) for host, some in groupby(hosts)]
        # MPI asks which ranks share a node: from a node on, so many nodes of so many ranks each.
        mapping = ",".join(f"({node},1,{count})" for node, count in blocks)
        self._values = {"PMI_process_mapping": f"(vector,{mapping})"}
        self._lock = threading.Lock()
        self._waiting: list[socket.socket] = []
        self._listener = socket.create_server(("", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more ranks."""
        self._listener.close()

    def _accept(self) -> None:
        try:
            while True:
                rank, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(rank,), daemon=True).start()
        except OSError:
            return  # closed

    def _serve(self, rank: socket.socket) -> None:
        try:
            with rank, rank.makefile("r", encoding="utf-8", errors="surrogateescape") as lines:
                for line in lines:
                    asked = dict(re.findall(r"(\w+)=(\S*)", line))
                    for answer in self._answer(asked, rank):
                        rank.sendall(f"{answer}\n".encode("utf-8", "surrogateescape"))
        except OSError:
            return  # the rank is gone; who started it knows

    def _answer(self, asked: dict[str, str], rank: socket.socket) -> list[str]:
        command = asked.get("cmd", "")
        if command == "initack":
            return [
                "cmd=initack rc=0", f"cmd=set size={self.ranks}", f"cmd=set rank={asked['pmiid']}",
                "cmd=set debug=0",
            ]  # fmt: skip
        if command == "put":
            with self._lock:
                self._values[asked["key"]] = asked["value"]
            return ["cmd=put_result rc=0 msg=success"]
        if command == "get":
            value = self._values.get(asked["key"])
            found = f"rc=0 msg=success value={value}" if value is not None else "rc=-1 msg=unknown"
            return [f"cmd=get_result {found}"]
        if command == "barrier_in":
            with self._lock:
                self._waiting.append(rank)
                if len(self._waiting) < self.ranks:
                    return []
                arrived, self._waiting = self._waiting, []
            for one in arrived:
                one.sendall(b"cmd=barrier_out rc=0\n")
            return []
        if command == "abort":
            self._abort(asked.get("exitcode", "1"))
            return []
        answers = {
            "init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "get_maxes": "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0",
            "get_appnum": "cmd=appnum appnum=0 rc=0",
            "get_my_kvsname": "cmd=my_kvsname kvsname=halocline rc=0",
            "get_universe_size": f"cmd=universe_size size={self.ranks} rc=0",
            "finalize": "cmd=finalize_ack rc=0",
        }
        return [answers.get(command, f"cmd={command}_result rc=-1 msg=unknown")]
