// Runs the script of a page with as much of a document as it asks for, presses keys, and
// prints what is shown after each. Node brings the streams that a browser has.
const fs = require("node:fs");
const page = fs.readFileSync(process.argv[2], "utf8");
const keys = JSON.parse(process.argv[3]);
class Element {
  constructor(tag) {
    this.tag = tag; this.children = []; this.own = ""; this.attributes = {};
    this.hidden = false; this.listeners = {}; this.parts = {}; this.style = {};
  }
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  get textContent() {
    return this.children.length ? this.children.map((each) => each.textContent).join("") : this.own;
  }
  set textContent(text) { this.own = text; this.children = []; }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(kind, run) { (this.listeners[kind] ||= []).push(run); }
  querySelector(tag) { return (this.parts[tag] ||= new Element(tag)); }
}
const elements = {};
for (const [, tag, id] of page.matchAll(/<(\w+)[^>]*?\bid="([^"]+)"/g)) elements[id] = new Element(tag);
elements.run.textContent = page.match(/id="run">([^<]*)<\/script>/)[1];
const nav = new Element("nav");
nav.hidden = true;
const listeners = {};
globalThis.document = {
  getElementById: (id) => elements[id],
  createElement: (tag) => new Element(tag),
  querySelector: () => nav,
  addEventListener: (kind, run) => (listeners[kind] ||= []).push(run),
};
const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((found) => found[1]);
new Function(scripts.join("\n"))();
const names = ["code", "step", "why", "tensors", "graph", "lanes", "output"];
const rows = (name) => elements[name].querySelector("pre").children;
function shown() {
  const panels = {};
  for (const name of names.filter((each) => !elements[each].hidden))
    panels[name] = rows(name).map((row) => row.textContent).join("\n");
  const told = [elements.place.textContent, elements.at.attributes["aria-valuetext"]];
  return {told, value: elements.at.value, panels, isWhole: elements.still.hidden};
}
(async () => {
  while (nav.hidden) await new Promise((done) => setTimeout(done, 1));
  const seen = [shown()];
  for (const key of keys) {
    const event = {key, target: elements.place, preventDefault() {}};
    listeners.keydown.forEach((run) => run(event));
    seen.push(shown());
  }
  console.log(JSON.stringify(seen));
})();
