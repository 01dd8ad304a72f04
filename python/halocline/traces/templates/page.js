"use strict";
// Draws a trace. Time is in ns from the first event; `view` is what the lower canvas shows.

const COLOURS = {
  computing: "#7fb069", packing: "#e6a93c", calls: "#5b8fd6", waiting: "#c8553d",
  synchronising: "#8e6bbf", region: "#6f9aa8",
};
const KIND = {
  compute: "computing", pack: "packing", unpack: "packing", copy: "packing", transfer: "calls",
  send: "calls", receive: "calls", put: "calls", get: "calls", accumulate: "calls", wait: "waiting",
  region: "region",
};
const KINDS = Object.keys(COLOURS);
const kindOf = data.activities.map((name) => KINDS.indexOf(KIND[name] || "synchronising"));
const INNER = data.activities.map((name) => name !== "begin step" && name !== "end step");
const TYPES = { u1: Uint8Array, u4: Uint32Array };
const LEFT = 90, ROW = 46;

async function unpack(text, type) {
  const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new TYPES[type](await new Response(stream).arrayBuffer());
}

async function times(packed) {
  const gaps = await unpack(packed.gap, "u4"), lengths = await unpack(packed.length, "u4");
  const begin = new Float64Array(gaps.length), end = new Float64Array(gaps.length);
  let at = 0, longest = 0;
  for (let i = 0; i < gaps.length; i++) {
    at += gaps[i];
    begin[i] = at * packed.unit;
    end[i] = (at + lengths[i]) * packed.unit;
    longest = Math.max(longest, end[i] - begin[i]);
  }
  return { begin, end, longest };
}

/** The first interval that can reach beyond `time`. */
function first(some, time) {
  const target = time - some.longest;
  let low = 0, high = some.begin.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (some.begin[middle] < target) low = middle + 1; else high = middle;
  }
  return low;
}

const duration = (ns) =>
  ns < 1e3 ? `${ns.toFixed(0)} ns` : ns < 1e6 ? `${(ns / 1e3).toPrecision(4)} µs`
    : ns < 1e9 ? `${(ns / 1e6).toPrecision(4)} ms` : `${(ns / 1e9).toPrecision(4)} s`;

const detail = document.getElementById("detail"), overview = document.getElementById("overview");
const hover = document.getElementById("hover");
const view = { begin: 0, end: data.length, links: false, step: -1 };
let ranks = [], links = [];

function clamp() {
  const least = 100, whole = Math.max(data.length, least);
  let length = Math.min(Math.max(view.end - view.begin, least), whole);
  view.begin = Math.min(Math.max(view.begin, 0), whole - length);
  view.end = view.begin + length;
}
function show(begin, end) {
  view.begin = begin; view.end = end;
  clamp();
  draw();
}
function zoom(factor, at = (view.begin + view.end) / 2) {
  show(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}
function move(share) {
  const by = (view.end - view.begin) * share;
  show(view.begin + by, view.end + by);
}
function toStep(number) {
  const steps = ranks[0].steps, count = steps.begin.length;
  if (!count) return;
  view.step = Math.min(Math.max(number, 0), count - 1);
  const begin = view.step > 0 ? steps.begin[view.step - 1] : 0;
  const end = view.step + 1 < count ? steps.begin[view.step + 1] : data.length;
  const middle = steps.begin[view.step];
  show(Math.max(begin, middle - (end - middle) * 0.2), end + (end - middle) * 0.05);
}
function nearestStep() {
  const steps = ranks[0].steps;
  let number = first(steps, view.begin);
  while (number < steps.begin.length - 1 && steps.begin[number] < view.begin) number++;
  return number;
}

function canvas(element, height) {
  const scale = window.devicePixelRatio || 1, width = element.clientWidth;
  element.width = width * scale;
  element.height = height * scale;
  element.style.height = `${height}px`;
  const context = element.getContext("2d");
  context.scale(scale, scale);
  context.clearRect(0, 0, width, height);
  return [context, width];
}

/** What is shorter than a pixel is summed up in its column. */
function bars(context, row, some, kind, from, to, width, begin, end, deepest) {
  const scale = (width - LEFT) / (end - begin);
  const columns = new Float32Array(Math.ceil(width - LEFT + 1) * KINDS.length);
  let any = false;
  for (let i = first(some, begin); i < some.begin.length && some.begin[i] < end; i++) {
    if (some.end[i] < begin || !kind.shown(i)) continue;
    const x = (Math.max(some.begin[i], begin) - begin) * scale;
    const w = (Math.min(some.end[i], end) - begin) * scale - x;
    if (w < 1) {
      columns[Math.floor(x) * KINDS.length + kind.of(i)] += w;
      any = true;
      continue;
    }
    const inset = deepest ? Math.min(some.depth[i], deepest) * 5 : 0;
    context.fillStyle = COLOURS[KINDS[kind.of(i)]];
    context.fillRect(LEFT + x, from + inset, Math.max(w - 0.5, 0.5), to - from - inset);
    if (w > 60 && kind.label) {
      context.fillStyle = "#fff";
      context.fillText(kind.label(i), LEFT + x + 3, from + inset + 12, w - 6);
    }
  }
  if (!any) return;
  for (let x = 0; x <= width - LEFT; x++) {
    let y = to;
    for (let k = 0; k < KINDS.length; k++) {
      const h = columns[x * KINDS.length + k] * (to - from);
      if (h < 0.2) continue;
      context.fillStyle = COLOURS[KINDS[k]];
      context.fillRect(LEFT + x, Math.max(y - h, from), 1, Math.min(h, y - from));
      y = Math.max(y - h, from);
    }
  }
}

const eventKind = (rank) => ({
  shown: (i) => INNER[rank.events.activity[i]],
  of: (i) => kindOf[rank.events.activity[i]],
  label: (i) => eventName(rank, i),
});
const waitKind = (rank) => ({
  shown: () => true,
  of: () => KINDS.indexOf("waiting"),
  label: (i) => `${data.states[rank.waits.state[i]]} behind rank ${rank.waits.culprit[i]}`,
});
function eventName(rank, i) {
  const region = rank.events.region[i];
  return region ? rank.regions[region - 1] : data.activities[rank.events.activity[i]];
}

function draw() {
  const rows = view.links ? links.length : ranks.length;
  const [context, width] = canvas(detail, Math.max(rows * ROW + 22, 60));
  const ink = getComputedStyle(document.body).color;
  context.font = "12px system-ui, sans-serif";
  const { begin, end } = view, scale = (width - LEFT) / (end - begin);
  context.save();
  for (let row = 0; row < rows; row++) {
    const top = row * ROW + 4;
    context.fillStyle = ink;
    if (view.links) {
      const link = links[row];
      context.fillText(`${link.from} → ${link.to}`, 6, top + 18);
      context.globalAlpha = 0.6;
      const kind = { shown: () => true, of: () => KINDS.indexOf("calls"),
                     label: () => `${link.bytes} B` };
      bars(context, row, link, kind, top + 4, top + ROW - 10, width, begin, end, 0);
      context.globalAlpha = 1;
    } else {
      const rank = ranks[row];
      context.fillText(rank.name, 6, top + 18);
      bars(context, row, rank.events, eventKind(rank), top, top + 28, width, begin, end, 2);
      bars(context, row, rank.waits, waitKind(rank), top + 30, top + 38, width, begin, end, 0);
    }
  }
  if (!view.links && ranks.length > 1) arrows(context, width, begin, end, scale, ink);
  context.restore();
  context.fillStyle = ink;
  const bottom = rows * ROW + 16;
  context.fillText(duration(begin), LEFT, bottom);
  context.textAlign = "right";
  context.fillText(`${duration(end)} (${duration(end - begin)} shown)`, width - 6, bottom);
  context.textAlign = "left";
  drawOverview();
}

/** Messages, where there are few enough to tell them apart. */
function arrows(context, width, begin, end, scale, ink) {
  const few = 400;
  let drawn = 0;
  context.strokeStyle = ink;
  context.globalAlpha = 0.55;
  for (const link of links)
    for (let i = first(link, begin); i < link.begin.length && link.begin[i] < end; i++) {
      if (link.end[i] < begin) continue;
      if (++drawn > few) return;
      if ((link.end[i] - link.begin[i]) * scale < 3) continue;
      const from = LEFT + Math.max(link.begin[i] - begin, 0) * scale;
      const to = LEFT + Math.min(link.end[i] - begin, end - begin) * scale;
      context.beginPath();
      context.moveTo(from, link.from * ROW + 18);
      context.lineTo(to, link.to * ROW + 18);
      context.lineTo(to - 6, link.to * ROW + 18 + (link.to > link.from ? -4 : 4));
      context.stroke();
    }
}

let overviewImage = null;
function drawOverview() {
  const [context, width] = canvas(overview, 40);
  if (!overviewImage || overviewImage.width !== overview.width) {
    ranks.forEach((rank, row) => {
      const height = 40 / ranks.length;
      bars(context, row, rank.events, eventKind(rank), row * height, (row + 1) * height - 0.5,
           width, 0, data.length, 0);
    });
    overviewImage = document.createElement("canvas");
    overviewImage.width = overview.width;
    overviewImage.height = overview.height;
    overviewImage.getContext("2d").drawImage(overview, 0, 0);
  } else {
    context.drawImage(overviewImage, 0, 0, width, 40);
  }
  const scale = (width - LEFT) / data.length;
  context.strokeStyle = "#4c8dd6";
  context.lineWidth = 2;
  context.strokeRect(LEFT + view.begin * scale, 1, Math.max((view.end - view.begin) * scale, 2), 38);
}

function timeAt(element, event) {
  const box = element.getBoundingClientRect();
  const share = (event.clientX - box.left - LEFT) / (box.width - LEFT);
  const [begin, end] = element === detail ? [view.begin, view.end] : [0, data.length];
  return begin + share * (end - begin);
}

function tell(event) {
  const time = timeAt(detail, event);
  const row = Math.floor((event.clientY - detail.getBoundingClientRect().top) / ROW);
  const said = [];
  const under = (some, say) => {
    for (let i = first(some, time); i < some.begin.length && some.begin[i] <= time; i++)
      if (some.end[i] >= time) said.push(`${say(i)} ${duration(some.end[i] - some.begin[i])}`);
  };
  if (view.links && links[row]) {
    under(links[row], () => `${links[row].from} → ${links[row].to}, ${links[row].bytes} bytes:`);
  } else if (ranks[row]) {
    under(ranks[row].events, (i) => `${eventName(ranks[row], i)}:`);
    under(ranks[row].waits, (i) => `${waitKind(ranks[row]).label(i)}:`);
  }
  hover.textContent = said.length ? `${duration(time)}: ${said.join(" › ")}` : "\u00a0";
}

function listen() {
  detail.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(detail, event));
  }, { passive: false });
  let grip = null;
  detail.addEventListener("pointerdown", (event) => { grip = timeAt(detail, event); });
  window.addEventListener("pointerup", () => { grip = null; });
  detail.addEventListener("pointermove", (event) => {
    if (grip === null || !event.buttons) return tell(event);
    const by = grip - timeAt(detail, event);
    show(view.begin + by, view.end + by);
  });
  overview.addEventListener("pointerdown", (event) => {
    const half = (view.end - view.begin) / 2, at = timeAt(overview, event);
    show(at - half, at + half);
  });
  const keys = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.2),
    ArrowRight: () => move(0.2), 0: () => show(0, data.length), l: swap,
    n: () => toStep(view.step < 0 ? nearestStep() : view.step + 1),
    p: () => toStep(view.step < 0 ? nearestStep() : view.step - 1),
  };
  window.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.getElementById("all").onclick = keys[0];
  document.getElementById("step").onclick = keys.n;
  document.getElementById("rows").onclick = swap;
  window.addEventListener("resize", draw);
}
function swap() {
  view.links = !view.links;
  document.getElementById("rows").textContent = view.links ? "ranks" : "links";
  draw();
}

const ready = (async () => {
  ranks = await Promise.all(data.ranks.map(async (rank) => ({
    ...rank,
    events: {
      ...await times(rank.events), activity: await unpack(rank.events.activity, "u1"),
      depth: await unpack(rank.events.depth, "u1"), region: await unpack(rank.events.region, "u1"),
    },
    steps: await times(rank.steps),
    waits: {
      ...await times(rank.waits), state: await unpack(rank.waits.state, "u1"),
      culprit: await unpack(rank.waits.culprit, "u4"),
    },
  })));
  links = await Promise.all(data.links.map(async (link) => ({ ...link, ...await times(link) })));
  document.getElementById("legend").innerHTML = KINDS
    .map((kind) => `<span><i style="background:${COLOURS[kind]}"></i>${kind}</span>`).join("");
  listen();
  const asked = /^#step=(\d+)$/.exec(location.hash);
  if (asked) toStep(Number(asked[1])); else draw();
})();
