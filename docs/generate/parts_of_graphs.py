"""The picture of docs/explanation/parts-of-graphs.md: which node has which vertex of a torus."""

import io
import json
import subprocess
import tempfile

from matplotlib.figure import Figure

AROUND, ACROSS = 120, 48
RANKS, MACHINE = 48, "nodes=4,sockets=2,cores=6"


def torus():
    """Vertices by their places on the fine grid of the surface, and each one's neighbours.

    A quarter of the surface is refined; what that adds is numbered last.
    """
    coarse = [(i, j) for i in range(0, AROUND, 2) for j in range(0, ACROSS, 2)]
    fine = [(i, j) for i in range(AROUND // 4) for j in range(ACROSS) if i % 2 or j % 2]
    places = coarse + fine
    number = {place: vertex for vertex, place in enumerate(places)}
    neighbours = [set() for _ in places]
    for (i, j), vertex in number.items():
        for di, dj in ((1, 0), (0, 1)):
            for step in (1, 2):
                other = number.get(((i + step * di) % AROUND, (j + step * dj) % ACROSS))
                if other is not None:
                    neighbours[vertex].add(other)
                    neighbours[other].add(vertex)
                    break
    return places, neighbours


def planned(haloplan, neighbours):
    """Return what haloplan says of the graph."""
    with tempfile.NamedTemporaryFile("w", suffix=".graph") as file:
        file.write(f"{len(neighbours)} {sum(map(len, neighbours)) // 2}\n")
        for others in neighbours:
            file.write(" ".join(str(other + 1) for other in sorted(others)) + "\n")
        file.flush()
        said = subprocess.run(
            [haloplan, "--graph", file.name, "--ranks", str(RANKS), "--machine", MACHINE],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    return json.loads(said.stdout)


def picture(haloplan):
    """Return the picture as the bytes of an SVG file; `haloplan` is the path of the program."""
    places, neighbours = torus()
    plan = planned(haloplan, neighbours)
    count = len(places)
    node = [where for where, _ in plan["places"]]
    owners = {
        "numbered": [vertex * RANKS // count for vertex in range(count)],
        "placed": [plan["placed"]["rank"][part] for part in plan["part"]],
    }
    figure = Figure(figsize=(9, 2.9), layout="tight")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, (way, owner) in zip(panels, owners.items()):
        x, y = zip(*places)
        panel.scatter(x, y, s=3, c=[node[rank] for rank in owner], cmap="tab10", vmin=0, vmax=9,
                      rasterized=True)  # fmt: skip
        panel.set_title(f"{way}: {plan[way]['nodes']['words']} words across nodes", fontsize=10)
        panel.set_xlabel("around the torus")
        panel.set_xticks([])
        panel.set_yticks([])
    panels[0].set_ylabel("across")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", dpi=110, metadata={"Date": None})
    return drawn.getvalue()
