// Filters of the table of the atlas. Without them the page shows all rows.
(() => {
  const form = document.querySelector(".atlas-filters");
  const rows = [...document.querySelectorAll(".atlas-table tbody tr")];
  const heads = [...document.querySelectorAll(".atlas-table th[data-mpi]")];
  const family = (name) => name.split(/[:+]/)[0];

  /// The figure of the chosen pattern beside the verdict.
  function show(cell, pattern) {
    const felt = cell.dataset.felt && JSON.parse(cell.dataset.felt)[pattern];
    const place = cell.querySelector(".felt");
    if (place) place.innerHTML = felt ? `<b>${felt[0]}</b> <small>${felt[1]}</small>` : "";
  }

  function fits(row, cells, asked) {
    const name = row.dataset.scheme;
    if (!asked.options && name.includes("+")) return false;
    if (asked.family && family(name) !== asked.family) return false;
    if (asked.verdict && !cells.some((cell) => cell.dataset.verdict === asked.verdict)) return false;
    const said = `${name} ${cells.map((cell) => `${cell.textContent} ${cell.title}`).join(" ")}`;
    return asked.words.every((word) => said.toLowerCase().includes(word));
  }

  function filter() {
    const asked = {
      words: form.words.value.toLowerCase().split(/\s+/).filter(Boolean),
      family: form.family.value,
      verdict: form.verdict.value,
      options: form.options.checked,
    };
    const mpi = form.mpi.value;
    heads.forEach((head, number) => (head.hidden = mpi !== "" && mpi !== String(number)));
    let count = 0;
    for (const row of rows) {
      const cells = [...row.querySelectorAll("td")];
      cells.forEach((cell, number) => {
        cell.hidden = heads[number].hidden;
        show(cell, Number(form.pattern.value));
      });
      row.hidden = !fits(row, cells.filter((cell) => !cell.hidden), asked);
      count += !row.hidden;
    }
    form.querySelector("output").textContent = `${count} of ${rows.length} rows`;
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
