"use strict";
// Tooltips, sorting, copying and the change between dark and light. The report reads well without.
const tip = document.getElementById("tip");
document.addEventListener("mousemove", (event) => {
  const owner = event.target.closest && event.target.closest("[data-tip]");
  tip.style.opacity = owner ? 1 : 0;
  if (!owner) return;
  tip.textContent = owner.dataset.tip;
  const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 18;
  const fits = below + tip.offsetHeight < window.innerHeight;
  tip.style.left = x + "px";
  tip.style.top = (fits ? below : event.clientY - tip.offsetHeight - 10) + "px";
});
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
for (const head of document.querySelectorAll("th[data-sort]")) {
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0];
    const key = head.dataset.sort;
    const value = (row) => row.dataset[key] || "";
    const order = head.dataset.order === "up" ? -1 : 1;
    head.dataset.order = order === 1 ? "up" : "down";
    const rows = [...body.rows].sort((a, b) => {
      const x = parseFloat(value(a)), y = parseFloat(value(b));
      return order * (isNaN(x) || isNaN(y) ? value(a).localeCompare(value(b)) : x - y);
    });
    body.append(...rows);
  });
}
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1200);
  });
}
