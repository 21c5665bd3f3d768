// Opens a page in Chromium, presses keys, and prints what is shown after each, as page.js does.
// A key such as "400px" gives the window that width, "dark" and "light" are what its user prefers. Fails where the page asks for anything but itself, or its script raises.
const {spawn} = require("node:child_process");
const [, , browser, url, keys] = process.argv;
const options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"];
const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"];
const child = spawn(browser, options, {stdio});
const waiting = new Map(), wrong = [];
let last = 0, unread = "";
function received(message) {
  if (message.id) waiting.get(message.id)(message.result);
  if (message.method === "Runtime.exceptionThrown") wrong.push(message.params.exceptionDetails);
  const asked = message.method === "Network.requestWillBeSent" && message.params.request.url;
  if (asked && asked !== url) wrong.push(asked);
}
child.stdio[4].setEncoding("utf8").on("data", (text) => {
  const messages = (unread + text).split("\0");
  unread = messages.pop();
  messages.map(JSON.parse).forEach(received);
});
const send = (method, params = {}, sessionId = undefined) => new Promise((done) => {
  waiting.set(++last, done);
  child.stdio[3].write(JSON.stringify({id: last, method, params, sessionId}) + "\0");
});
const SHOWN = `(() => {
  const panels = {};
  for (const section of document.querySelectorAll("#panels section"))
    if (section.checkVisibility())
      panels[section.id] = [...section.querySelector("pre").children].map((row) => row.textContent).join("\\n");
  const pre = document.querySelector("#tensors pre"), cell = document.createElement("span");
  cell.textContent = "0";
  pre.append(cell);
  const one = cell.getBoundingClientRect().width;
  cell.remove();
  const cells = [...pre.children].map((row) => {
    const range = document.createRange();
    range.selectNodeContents(row);
    return range.getBoundingClientRect().width / one;
  });
  const at = document.getElementById("at");
  const told = [document.getElementById("place").textContent, at.getAttribute("aria-valuetext")];
  const code = document.querySelector("#code0 pre");
  const scrolls = code.scrollWidth > code.clientWidth;
  const isWhole = document.getElementById("still").hidden;
  const words = (element) => element.textContent.split(/\\s+/).join(" ").trim();
  const lit = {};
  for (const row of document.querySelectorAll(".lit"))
    (lit[row.closest("section").id] ||= []).push(words(row));
  const focus = document.activeElement, asks = document.getElementById("question");
  return {
    told, value: Number(at.value), panels, cells, scrolls, isWhole, lit,
    focus: [focus.closest("section")?.id, words(focus)],
    overflows: document.scrollingElement.scrollWidth > innerWidth,
    columns: new Set([...document.querySelectorAll("#panels>div")].map((each) => each.offsetLeft)).size,
    back: getComputedStyle(document.body).backgroundColor,
    asks: asks.checkVisibility() ? words(asks) : "",
  };
})()`;
const CODES = {ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35, Tab: 9, Enter: 13, " ": 32};
(async () => {
  const {targetId} = await send("Target.createTarget", {url: "about:blank"});
  const {sessionId} = await send("Target.attachToTarget", {targetId, flatten: true});
  for (const domain of ["Page", "Runtime", "Network"]) await send(`${domain}.enable`, {}, sessionId);
  const value = async (expression) => {
    const asked = {expression, returnByValue: true};
    return (await send("Runtime.evaluate", asked, sessionId)).result.value;
  };
  await send("Page.navigate", {url}, sessionId);
  while (!(await value("document.querySelector('nav')?.hidden === false")))
    await new Promise((done) => setTimeout(done, 10));
  const seen = [await value(SHOWN)];
  for (const key of JSON.parse(keys)) {
    if (key.endsWith("px")) {
      const size = {width: parseInt(key), height: 800, deviceScaleFactor: 1, mobile: true};
      await send("Emulation.setDeviceMetricsOverride", size, sessionId);
      seen.push(await value(SHOWN));
      continue;
    }
    if (key === "dark" || key === "light") {
      const features = [{name: "prefers-color-scheme", value: key}];
      await send("Emulation.setEmulatedMedia", {features}, sessionId);
      seen.push(await value(SHOWN));
      continue;
    }
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const windowsVirtualKeyCode = CODES[key] ?? key.toUpperCase().charCodeAt(0);
    for (const type of ["keyDown", "keyUp"])
      await send("Input.dispatchKeyEvent", {type, key, text, windowsVirtualKeyCode}, sessionId);
    seen.push(await value(SHOWN));
  }
  await send("Browser.close");
  if (wrong.length) throw new Error(JSON.stringify(wrong));
  console.log(JSON.stringify(seen));
})();
