// Runs the script of a page with as much of a document as it asks for, presses keys, and
// prints what is shown after each. Node brings the streams that a browser has.
const fs = require("node:fs");
const page = fs.readFileSync(process.argv[2], "utf8");
const keys = JSON.parse(process.argv[3]);
class Element {
  constructor(tag) {
    this.tag = tag; this.tagName = tag.toUpperCase(); this.children = []; this.own = "";
    this.attributes = {}; this.dataset = {}; this.hidden = false; this.listeners = {}; this.parts = {};
    this.style = {setProperty() {}}; this.className = ""; this.scrollTop = this.clientHeight = 0;
    this.classList = {toggle: (name, on) => { this.lit = on; }};
  }
  append(...nodes) {
    for (const node of nodes) {
      const child = node instanceof Element ? node : Object.assign(new Element("#text"), {own: String(node)});
      child.parent = this;
      this.children.push(child);
    }
  }
  prepend(node) { this.append(node); this.children.unshift(this.children.pop()); }
  replaceChildren(...nodes) { this.children = []; this.append(...nodes); }
  get childNodes() { return this.children; }
  get textContent() {
    return this.children.length ? this.children.map((each) => each.textContent).join("") : this.own;
  }
  set textContent(text) { this.own = text; this.children = []; }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(kind, run) { (this.listeners[kind] ||= []).push(run); }
  fits(selector) {
    if (selector === "[data-key]") return "key" in this.dataset;
    if (selector[0] === ".") return this.className.split(" ").includes(selector.slice(1));
    return this.tag === selector;
  }
  querySelectorAll(selector) {
    return this.children.flatMap((each) => [...(each.fits(selector) ? [each] : []), ...each.querySelectorAll(selector)]);
  }
  querySelector(selector) {
    if (selector === "pre" || selector === "h2") {
      const part = (this.parts[selector] ||= new Element(selector));
      part.parent = this;
      return part;
    }
    return this.querySelectorAll(selector)[0];
  }
  closest(selector) { return this.fits(selector) ? this : this.parent?.closest(selector); }
  contains(other) { return other === this || (other?.parent && this.contains(other.parent)); }
  focus() { document.activeElement = this; }
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
  createElementNS: (_, tag) => new Element(tag),
  querySelector: () => nav,
  querySelectorAll: () => names.flatMap((each) => elements[each].querySelector("pre").querySelectorAll("[data-key]")),
  documentElement: new Element("html"),
  addEventListener: (kind, run) => (listeners[kind] ||= []).push(run),
};
globalThis.matchMedia = () => ({matches: false, addEventListener() {}});
globalThis.getSelection = () => "";
const names = [...page.matchAll(/<section id="(?!what|fixes|question)([^"]+)"/g)].map((found) => found[1]);
const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((found) => found[1]);
new Function(scripts.join("\n"))();
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
