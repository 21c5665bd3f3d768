"use strict";
const names = ["code", "step", "why", "tensors", "graph", "lanes", "output"];
const by = (id) => document.getElementById(id);
const range = by("at");
const shown = {};
let run;
let at;
async function unpacked() {
  const bytes = Uint8Array.from(atob(by("run").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
const wraps = ["step", "why"];
const wide = /([\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60]+)/;
function aligned(text) {  // columns are counted in cells, whatever font has the wide characters
  return text.split(wide).map((piece, i) => {
    const part = document.createElement("span");
    part.textContent = piece;
    if (i % 2) { part.className = "wide"; part.style.width = 2 * piece.length + "ch"; }
    return part;
  });
}
function line(parts, name) {
  const row = document.createElement("div");
  if (parts[0]) row.className = "s" + parts[0];
  for (let i = 1; i < parts.length; i += 2) {
    const span = document.createElement("span");
    if (parts[i]) span.className = "s" + parts[i];
    if (wraps.includes(name) || !wide.test(parts[i + 1])) span.textContent = parts[i + 1];
    else span.append(...aligned(parts[i + 1]));
    row.append(span);
  }
  if (parts.length < 2) row.textContent = " ";
  return row;
}
function show(place) {
  at = Math.max(0, Math.min(run.steps.length - 1, place));
  names.forEach((name, i) => {
    const panel = run.steps[at][i];
    if (shown[name] === panel) return;
    shown[name] = panel;
    const rows = run.panels[panel];
    by(name).hidden = rows.length === 0;
    by(name).querySelector("pre").replaceChildren(...rows.map((row) => line(run.rows[row], name)));
  });
  const step = run.first + at;
  const text = (step ? run.step : run.start)
    .replace("{step}", step).replace("{count}", run.count);
  range.value = at;
  range.setAttribute("aria-valuetext", text);
  by("place").textContent = text;
}
const moves = {first: () => 0, back: () => at - 1, next: () => at + 1, last: () => Infinity};
for (const [id, to] of Object.entries(moves)) by(id).addEventListener("click", () => show(to()));
range.addEventListener("input", () => show(Number(range.value)));
const keys = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last",
  n: "next", N: "back", g: "first", G: "last"};
document.addEventListener("keydown", (event) => {
  if (!run || event.ctrlKey || event.altKey || event.metaKey) return;
  const {target} = event;  // while a panel has the focus, arrows scroll what is too wide in it
  const scrolls = target.tagName === "PRE" && target.scrollWidth > target.clientWidth;
  if (scrolls && event.key.startsWith("Arrow")) return;
  if (keys[event.key]) { event.preventDefault(); show(moves[keys[event.key]]()); }
});
unpacked().then((found) => {
  run = found;
  range.max = run.steps.length - 1;
  by("still").hidden = true;
  document.querySelector("nav").hidden = false;
  show(run.steps.length - 1);
});
