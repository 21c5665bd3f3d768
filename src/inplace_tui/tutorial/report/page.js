"use strict";
const by = (id) => document.getElementById(id);
const range = by("at");
const shown = {};
let run;
let at;
let part = 0;  // behind each part but the last one there is a question
let chosen = "";
async function unpacked() {
  const bytes = Uint8Array.from(atob(by("run").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
function make(tag, look, ...children) {
  const made = document.createElement(tag);
  if (look) made.className = look;
  made.append(...children);
  return made;
}
function drawn(look, box, ...shapes) {
  const space = by("drawn").namespaceURI, svg = document.createElementNS(space, "svg");
  const attributes = {...box, class: look, "aria-hidden": "true"};
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  for (const [tag, values] of shapes) {
    const shape = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value);
    svg.append(shape);
  }
  return svg;
}
// Pixels of a row and of a character for which the strokes of the graph are made, and their part here.
const HIGH = 22, CELL = 8.4, SCALE = 20 / 22;
function strokes(text, look, glyph) {
  const [, rails, x, d] = text.match(/^(\d+) (\d*) (.*)$/);
  const width = 20 * rails * SCALE, viewBox = `20 0 ${20 * rails} ${HIGH}`;
  const shapes = [["path", {d}]];
  const mark = {class: `mark s${look}${glyph === "○" ? "" : " solid"}`};
  if (x && glyph === "✗")
    shapes.push(["path", {...mark, d: `M${x - 5} 6l10 10M${+x + 5} 6l-10 10`}]);
  else if (x && glyph === "⊞")
    shapes.push(["rect", {...mark, x: x - 5, y: 6, width: 10, height: 10}]);
  else if (x) shapes.push(["circle", {...mark, cx: x, cy: 11, r: 4.5}]);
  const below = [...d.matchAll(/(\d+) [\d.]+V22/g)].map((found) => `M${found[1]} 0V${HIGH}`);
  const rest = {viewBox, width, preserveAspectRatio: "none"};
  const made = make("span", "strokes", drawn("", {viewBox, width, height: HIGH * SCALE}, ...shapes),
    drawn("rest", rest, ["path", {d: below.join("")}]));
  made.style.width = Math.round(20 * rails / CELL) + 1 + "ch";
  return made;
}
const LIFE = {"━": "held", "╍": "stale", "─": "alive", " ": ""}, LOUD = {"!": 1, "◆": 1};
const CROWD = 60;  // with more steps versions would stand on one another
function track(text) {  // of each step a mark, the version that it led to, and the line from there on
  const marks = [], lines = [];
  const steps = text.match(/.{4}/gu);
  steps.forEach(([sign, ...after], i) => {
    const look = LIFE[after.pop()] ?? "", version = after.join("").match(/^\d*/)[0];
    if (!(sign in LIFE) && sign !== "│") marks.push([i, sign, version]);
    if (lines.at(-1)?.look === look) lines.at(-1).to = i + 1.5;
    else lines.push({look, from: i + 0.5, to: i + 1.5});
  });
  const box = {viewBox: `0 0 ${run.count} 2`, preserveAspectRatio: "none"};
  const paths = lines.filter((each) => each.look)
    .map((each) => ["path", {class: each.look, d: `M${each.from} 1H${each.to}`}]);
  const made = make("span", "track", drawn("", box, ...paths));
  made.setAttribute("aria-hidden", "true");
  for (const [step, sign, version] of marks) {
    const mark = make("b", sign in LOUD ? "wrong" : "", sign, make("sub", "", run.count > CROWD ? "" : version));
    mark.style.left = `${100 * (step + 0.5) / run.count}%`;
    made.append(mark);
  }
  return made;
}
function axis() {  // the numbers of some steps, above the lives of storages
  const made = make("span", "track"), each = Math.max(1, Math.round(run.count / 8));
  for (let step = 1; step <= run.count; step += each) {
    const number = make("b", "", String(step));
    number.style.left = `${100 * (step - 0.5) / run.count}%`;
    made.append(number);
  }
  const row = make("div", "axis", make("span", "words", run.axis), made);
  row.setAttribute("aria-hidden", "true");
  return row;
}
const wraps = ["step", "why"];
const wide = /([\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60]+)/;
function aligned(text) {  // columns are counted in cells, whatever font has the wide characters
  return text.split(wide).map((piece, i) => {
    const part = make("span", "", piece);
    if (i % 2) { part.className = "wide"; part.style.width = 2 * piece.length + "ch"; }
    return part;
  });
}
function span(look, text, name) {
  const made = make("span", look ? "s" + look : "");
  if (wraps.includes(name) || !wide.test(text)) made.textContent = text;
  else made.append(...aligned(text));
  return made;
}
function link(...children) {
  const made = make("button", "", ...children);
  made.type = "button";
  made.tabIndex = -1;
  return made;
}
// How many pieces of a row are its link: of a storage all, of what is saved its slot and its name.
const linked = {code: 1, graph: 1, slot: 2, lanes: Infinity, tensors: 1};
function line(parts, name) {
  const [key, look, ...spans] = parts;
  const row = make("div", look ? "s" + look : "");
  let into = row, kind = name.replace(/\d/, "");
  if (spans[0] === -1) {
    const [, drawing] = spans.splice(0, 2);
    into = make("span", "words");
    if (name === "lanes") {
      row.append(into, track(drawing));
      if (key) row.append(make("span", "story", spans.pop().replace(/^[:：]\s*/, "")));
    } else {
      const glyph = /^\d+ \d/.test(drawing) ? spans.splice(0, 2) : [];
      row.append(strokes(drawing, ...glyph), into);
      if (key[0] === "s") kind = "slot";
    }
  }
  let left = key ? linked[kind] : 0, to;
  for (let i = 0; i + 1 < spans.length; i += 2) {
    const [before, words, after] = spans[i + 1].match(/^(\s*)(.*?)(\s*)$/s).slice(1);
    if (!left || !(to || /[\p{L}\p{N}]/u.test(words))) {
      into.append(span(spans[i], spans[i + 1], name));
      continue;
    }
    if (!to) into.append(before, to = link());
    else to.append(before);
    to.append(span(spans[i], words, name));
    left -= 1;
    if (left && i + 3 < spans.length) to.append(after); else into.append(after);
  }
  if (kind === "code" && to) to.ariaLabel = run.line.replace("{line}", to.textContent);
  if (key) row.dataset.key = key;
  if (!spans.length) row.textContent = " ";
  return row;
}
const steps = () => run.parts[part];
function show(place) {
  at = Math.max(0, Math.min(steps().length - 1, place));
  const focus = document.activeElement?.closest?.("[data-key]");
  run.names.forEach((name, i) => {
    const panel = steps()[at][i];
    if (shown[name] === panel) return;
    shown[name] = panel;
    const rows = run.panels[panel], pre = by(name).querySelector("pre");
    const again = focus && pre.contains(focus) && focus.dataset.key;
    by(name).hidden = rows.length === 0;
    pre.replaceChildren(...rows.map((row) => line(run.rows[row], name)));
    if (name === "lanes") pre.prepend(axis());
    const links = buttons(pre);
    const same = again && links.find((each) => keyOf(each) === again);
    if (links.length) (same || links[0]).tabIndex = 0;
    if (same) same.focus();
    const here = pre.querySelector(`.s${run.here}`);
    if (here) reveal(pre, here);
  });
  const step = run.first + at;
  const text = (step ? run.step : run.start)
    .replace("{step}", step).replace("{count}", run.count);
  range.max = steps().length - 1;
  range.value = at;
  range.setAttribute("aria-valuetext", text);
  by("place").textContent = text;
  by("lanes").style.setProperty("--at", step ? (step - 0.5) / run.count : 0);
  ask();
  mark();
}
function reveal(pre, row) {  // without moving the page
  const top = row.offsetTop - pre.offsetTop;
  if (top < pre.scrollTop || top > pre.scrollTop + pre.clientHeight - 40)
    pre.scrollTop = top - pre.clientHeight / 3;
}
const buttons = (pre) => [...pre.querySelectorAll("button")];
const keyOf = (element) => element.closest("[data-key]")?.dataset.key;
// What a question hides could be read from the links of what it is about.
const belongs = (key) => chosen && (key === chosen || part === run.asked.length && (
  run.related[chosen]?.includes(key) || run.related[key]?.includes(chosen)));
function mark() {
  const found = [];
  for (const row of document.querySelectorAll("[data-key]")) {
    const lit = Boolean(belongs(row.dataset.key)), button = row.querySelector("button");
    row.classList.toggle("lit", lit);
    button?.setAttribute("aria-pressed", String(row.dataset.key === chosen));
    if (lit && button) found.push([row.closest("section"), row, button]);
  }
  const parts = [];
  for (const section of new Set(found.map(([each]) => each))) {
    const rows = found.filter(([each]) => each === section);
    const pre = section.querySelector("pre");
    if (pre && !rows.some(([, row]) => row.contains(document.activeElement))) reveal(pre, rows[0][1]);
    parts.push(make("span", "", section.querySelector("h2").textContent + ":",
      ...rows.slice(0, 6).map(([, , button]) => {
        const to = make("button", "", button.textContent.trim());
        to.type = "button";
        to.ariaLabel = button.ariaLabel;
        to.addEventListener("click", () => { button.focus(); button.scrollIntoView({block: "center"}); });
        return to;
      }), rows.length > 6 ? "… " : " "));
  }
  by("links").replaceChildren(...(parts.length ? parts : [run.none]));
}
function choose(key) {
  chosen = key === chosen ? "" : key;
  mark();
}
function prose(paragraphs) {
  return paragraphs.map((parts) => {
    const made = make("p", "");
    for (let i = 0; i < parts.length; i += 2) made.append(span(parts[i], parts[i + 1], "why"));
    return made;
  });
}
let asked;  // the part whose question was asked last
function ask() {
  const waits = part < run.asked.length && at === steps().length - 1;
  if (waits && asked !== part) {
    asked = part;
    const question = run.asked[part];
    const choices = question.answers.map(([text], i) => {
      const choice = make("input", "");
      Object.assign(choice, {type: "radio", name: "choice", value: i});
      return make("label", "", choice, " ", ...prose(text)[0].childNodes);
    });
    by("answers").replaceChildren(make("legend", "", ...prose(question.prompt)), ...choices);
    by("reply").replaceChildren();
    by("answer").hidden = !choices.length;
    by("hint").hidden = !question.hints.length;
    by("answer").disabled = by("show").disabled = by("hint").disabled = false;
    question.told = 0;
  }
  const answered = asked === part - 1 && at === run.parts[asked].length - 1;
  by("question").hidden = !(waits || answered);
}
function reply(isOver, ...paragraphs) {
  by("reply").replaceChildren(...prose(paragraphs.flat()));
  if (!isOver) return;
  by("answer").disabled = by("show").disabled = by("hint").disabled = true;
  part += 1;
  show(at);
  by("next").focus();
}
by("answer").addEventListener("click", () => {
  const given = document.querySelector("#answers :checked");
  const [, isRight, text] = given ? run.asked[part].answers[given.value] : [];
  if (given) reply(isRight, isRight ? run.right : run.wrong, text);
});
by("show").addEventListener("click", () => reply(true, run.asked[part].shown));
by("hint").addEventListener("click", () => {
  const question = run.asked[part];
  question.told = Math.min(question.told + 1, question.hints.length);
  reply(false, ...question.hints.slice(0, question.told));
});
function next() {
  if (at === steps().length - 1 && part < run.asked.length) by("question").querySelector("input, button").focus();
  return at + 1;
}
const moves = {first: () => 0, back: () => at - 1, next, last: () => Infinity};
for (const [id, to] of Object.entries(moves)) by(id).addEventListener("click", () => show(to()));
range.addEventListener("input", () => show(Number(range.value)));
const keys = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last",
  n: "next", N: "back", g: "first", G: "last"};
document.addEventListener("keydown", (event) => {
  if (!run || event.ctrlKey || event.altKey || event.metaKey) return;
  const {target} = event;
  if (target.name === "choice") {  // arrows choose
    if (event.key !== "Enter") return;
    event.preventDefault();  // else it would press what has the focus then
    by("answer").click();
    return;
  }
  if (event.key === "Escape") choose(chosen);
  const there = {ArrowUp: -1, ArrowDown: 1}[event.key];
  if (there && target.closest?.("pre [data-key]")) {
    const links = buttons(target.closest("pre")), to = links[links.indexOf(target) + there];
    event.preventDefault();
    if (to) { target.tabIndex = -1; to.tabIndex = 0; to.focus(); }
    return;
  }
  // While a panel has the focus, arrows scroll what is too wide in it.
  const scrolls = target.tagName === "PRE" && target.scrollWidth > target.clientWidth;
  if (scrolls && event.key.startsWith("Arrow")) return;
  if (keys[event.key]) { event.preventDefault(); show(moves[keys[event.key]]()); }
});
document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-key]");
  if (!run || !row || String(getSelection())) return;
  choose(row.dataset.key);
});
unpacked().then((found) => {
  run = found;
  for (const row of document.querySelectorAll(".quote [data-key]")) {
    const number = row.querySelector(".number"), made = link(number.textContent);
    made.tabIndex = 0;
    made.ariaLabel = run.line.replace("{line}", number.textContent);
    number.replaceChildren(made);
  }
  by("still").hidden = true;
  document.querySelector("nav").hidden = false;
  show(run.begin);
});
