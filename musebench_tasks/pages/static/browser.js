// Item browsers: cards are built when they come near, narrowed down by their data, found by key and by address.
const BUILT_AT_LEISURE = 400;
const CARD_REM = 31;
const whenIdle = window.requestIdleCallback || ((act) => setTimeout(() => act({ timeRemaining: () => 8 }), 30));
const count = (number) => number.toLocaleString("en");

// A card's text stands in <noscript> until it is needed: text costs nothing, thousands of players and lists would.
function build(card) {
  const holder = card.querySelector(":scope > noscript");
  if (!holder) return;
  textOf(card);
  const body = document.createElement("template");
  body.innerHTML = holder.textContent;
  holder.replaceWith(body.content);
  card.classList.add("built");
  watch(card);
}

// Browsers tell when an element's content comes near; those that do not are asked, which costs more the longer the page.
const tells = "ContentVisibilityAutoStateChangeEvent" in window;
const asked = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) { asked.unobserve(target); build(target); }
}, { rootMargin: "1200px 0px" });
const coming = new Set();
document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => {
  if (skipped || !target.matches(".browser .card")) return;
  if (!coming.size) requestAnimationFrame(() => { [...coming].filter(isNear).forEach(build); coming.clear(); });
  coming.add(target);
});
function isNear(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && top < 3 * innerHeight && bottom > -2 * innerHeight;
}

// What a search looks through: id, question, options and what was answered, in small letters.
const texts = new WeakMap();
const SIGNS = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": "\"", "&#39;": "'" };
function textOf(card) {
  if (!texts.has(card)) {
    const parts = [card.querySelector("h4").textContent];
    const written = card.querySelector(":scope > noscript")?.textContent || "";
    for (const [, text] of written.matchAll(/<(?:p class="text"|span class="text"|pre)[^>]*>([^<]*)/g)) parts.push(text);
    texts.set(card, parts.join("\n").replace(/&(amp|lt|gt|#34|#39);/g, (sign) => SIGNS[sign]).toLowerCase());
  }
  return texts.get(card);
}

class ItemBrowser {
  constructor(element) {
    this.element = element;
    this.cards = [...element.querySelectorAll(".card")];
    this.chunks = [...element.querySelectorAll(".chunk")];
    this.task = element.dataset.task;
    this.filter = element.querySelector(".filter");
    this.nothing = element.querySelector(":scope > .missing");
    this.dialog = element.querySelector("dialog");
    this.subdomains = this.filter.querySelector("select[name=subdomain]");
    this.controls = [...this.filter.querySelectorAll("select, [type=search]")];
    this.search = this.filter.querySelector("[type=search]");
    if (!tells) for (const card of this.cards) asked.observe(card);
    this.buildNear();
    this.filter.addEventListener("change", (event) => { if (event.target.name !== "keys") this.apply(); });
    this.search.addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.apply({ isTyped: true }), 150);
    });
    this.button("clear", () => { this.set(new URLSearchParams()); this.apply(); this.search.focus(); });
    this.button("help", () => this.help());
    this.button("close", () => this.dialog.close());
    this.choices = this.filter.querySelector(".choices");
    this.choices.open = matchMedia("(min-width: 44rem)").matches;
    this.filter.hidden = false;
    this.measure();
    this.say(this.cards.length);
    this.prepare(0);
  }

  button(name, act) { this.filter.querySelector("button[name=" + name + "]").addEventListener("click", act); }

  // How high the chunks are that nobody looks at: a browser lays out what is near only.
  measure() {
    for (const chunk of this.chunks) {
      const shown = [...chunk.children].reduce((sum, card) => sum + !card.hidden, 0);
      chunk.hidden = shown === 0;
      chunk.style.containIntrinsicBlockSize = shown * CARD_REM + "rem";
    }
  }

  // What was near before anybody listened, or came near by no longer being hidden.
  buildNear() {
    this.chunks.filter(isNear).flatMap((chunk) => [...chunk.children].filter(isNear)).forEach(build);
  }

  // Reads the texts for the search while nothing else happens, and builds the cards of a short list.
  prepare(start) {
    whenIdle((idle) => {
      let at = start;
      while (at < this.cards.length && (at === start || idle.timeRemaining() > 2)) {
        const card = this.cards[at++];
        if (this.cards.length <= BUILT_AT_LEISURE) build(card); else textOf(card);
      }
      if (at < this.cards.length) this.prepare(at);
    });
  }

  get state() {
    return new URLSearchParams(this.controls.filter((each) => each.value).map((each) => [each.name, each.value]));
  }

  set(state) {
    for (const each of this.controls) {
      each.value = state.get(each.name) || "";
      if (each.selectedIndex < 0) each.value = "";
    }
  }

  // Sub-domains of another category cannot be chosen.
  narrowChoices() {
    const category = this.filter.querySelector("select[name=category]");
    if (!this.subdomains || !category) return;
    const ofCategory = this.cards.filter((card) => card.dataset.category === category.value);
    const found = category.value && new Set(ofCategory.map((card) => card.dataset.subdomain));
    for (const option of this.subdomains.options) option.hidden = option.disabled = Boolean(found && option.value) && !found.has(option.value);
    if (this.subdomains.selectedOptions[0]?.disabled) this.subdomains.value = "";
  }

  apply({ inAddress = true, isTyped = false } = {}) {
    clearTimeout(this.waiting);
    this.narrowChoices();
    const state = this.state;
    const wanted = wishes(state);
    if (this.controls.some((each) => each !== this.search && each.value)) this.choices.open = true;
    let shown = 0;
    for (const card of this.cards) {
      const isWanted = wanted.every((wish) => wish(card));
      if (card.hidden === isWanted) card.hidden = !isWanted;
      shown += isWanted;
    }
    for (const medium of this.element.querySelectorAll("[hidden] :is(video, audio)")) medium.pause();
    this.measure();
    requestAnimationFrame(() => this.buildNear());
    this.say(shown);
    this.filter.querySelector("[name=clear]").hidden = !String(state);
    if (inAddress) remember(isTyped);
  }

  say(shown) {
    const all = this.cards.length;
    const words = (shown === all ? count(all) : count(shown) + " of " + count(all)) + (all === 1 ? " item" : " items");
    this.filter.querySelector("output").textContent = words;
    this.nothing.hidden = shown > 0;
  }

  get shown() { return this.cards.filter((card) => !card.hidden); }

  // The card with the focus, else the first that is seen.
  get current() {
    const focused = document.activeElement.closest(".card");
    if (this.cards.includes(focused)) return focused;
    const isSeen = (element) => element.getBoundingClientRect().bottom > 80;
    return [...this.chunks.find(isSeen)?.children ?? []].find(isSeen);
  }

  step(step) {
    const shown = this.shown;
    const current = this.current;
    const isFocused = current && current.contains(document.activeElement);
    const at = shown.indexOf(current) + (isFocused ? step : 0);
    if (shown[at]) reveal(shown[at]);
  }

  help() {
    this.dialog.querySelector("[name=keys]").checked = keys.inUse;
    this.dialog.showModal();
  }
}

// What a card must be like, a test for each choice that was made.
function wishes(state) {
  const wanted = [];
  const words = (state.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) wanted.push((card) => words.every((word) => textOf(card).includes(word)));
  for (const name of ["category", "subdomain", "difficulty", "kind"]) {
    if (state.has(name)) wanted.push((card) => card.dataset[name] === state.get(name));
  }
  const [system, outcome, status] = ["system", "outcome", "status"].map((name) => state.get(name));
  if (outcome || status) {
    wanted.push((card) => answersOf(card).some(([who, how, end]) =>
      (!system || who === system) && (!outcome || how === outcome) && (!status || end === status)));
  } else if (system) wanted.push((card) => answersOf(card).some(([who]) => who === system));
  if (state.has("compare")) wanted.push(COMPARED[state.get("compare")] || (() => true));
  return wanted;
}
const answersOf = (card) => (card.dataset.answers || "").split("\n").map((line) => line.split("\t"));
const outcomesOf = (card) => answersOf(card).map(([, outcome]) => outcome).filter(Boolean);
const COMPARED = {
  differ: (card) => "differs" in card.dataset,
  split: (card) => { const found = outcomesOf(card); return found.includes("right") && found.some((each) => each !== "right"); },
  right: (card) => outcomesOf(card).length > 0 && outcomesOf(card).every((each) => each === "right"),
  wrong: (card) => outcomesOf(card).length > 0 && !outcomesOf(card).includes("right"),
};

// Addresses: `#filter?TASK.category=…` narrows down all lists of items, `#item=TASK/ID` (or `#item=ID`) shows one item,
// whatever is hidden. A choice is a step in the history, so that going back undoes it; what is typed is one step.
let wasTyped = false;
let narrowed = "";
function remember(isTyped) {
  const state = new URLSearchParams(browsers.flatMap((each) => [...each.state].map(([name, value]) => [each.task + "." + name, value])));
  const address = String(state) ? "#filter?" + state : location.href.split("#")[0];
  try {
    if (isTyped && wasTyped) history.replaceState({ narrowed: String(state) }, "", address);
    else if (String(state) !== narrowed) {
      history.replaceState({ narrowed }, "");
      history.pushState({ narrowed: String(state) }, "", address);
    }
  } catch { /* a page that may not change its address works without */ }
  [wasTyped, narrowed] = [isTyped, String(state)];
}
// Sets all lists to what an address says; returns the first that it narrows down.
function recall(query) {
  const state = new URLSearchParams(query);
  const wanted = new Map(browsers.map((each) => [each, new URLSearchParams()]));
  for (const [name, value] of state) {
    const [, task, choice] = /^(.*)\.(\w+)$/s.exec(name) || [];
    wanted.get(browsers.find((each) => each.task === task))?.set(choice, value);
  }
  for (const [browser, choices] of wanted) {
    if (String(browser.state) === String(choices)) continue;
    browser.set(choices);
    browser.apply({ inAddress: false });
  }
  [wasTyped, narrowed] = [false, query];
  return browsers.find((each) => String(each.state));
}
function reveal(card) {
  card.hidden = card.parentElement.hidden = false;
  build(card);
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "start" });
}
function followAddress() {
  const [place, query] = location.hash.slice(1).split(/\?(.*)/s);
  if (place === "filter" && query !== undefined) {
    if (history.state?.narrowed === undefined) recall(query)?.element.scrollIntoView();
    return;
  }
  const item = new URLSearchParams(place).get("item");
  const cards = browsers.flatMap((each) => each.cards);
  const nameOf = (card) => card.querySelector("h4").textContent;
  const card = item === null ? cards.find((each) => each.id === place)
    : cards.find((each) => each.closest(".browser").dataset.task + "/" + nameOf(each) === item) || cards.find((each) => nameOf(each) === item);
  if (card) reveal(card);
}

// Keys: single letters, so they can be switched off, and they do nothing while something is typed.
const keys = {
  get inUse() { try { return localStorage.getItem("musebench-keys") !== "off"; } catch { return true; } },
  set inUse(isOn) { try { localStorage.setItem("musebench-keys", isOn ? "on" : "off"); } catch { /* not kept */ } },
};
const browserInUse = () => browsers.find((each) => each.element.contains(document.activeElement))
  || browsers.find((each) => each.element.getBoundingClientRect().bottom > 0) || browsers[0];
const ACTS = {
  j: (browser) => browser.step(1),
  k: (browser) => browser.step(-1),
  "/": (browser) => browser.search.focus(),
  "?": (browser) => browser.help(),
  p: (browser) => { const medium = browser.current?.querySelector("video, audio"); if (medium) toggle(medium); },
  ",": (browser) => frameOf(browser, -1),
  ".": (browser) => frameOf(browser, 1),
};
function frameOf(browser, step) {
  const track = browser.current?.querySelector(".track[data-times]");
  if (track) stepFrame(track, step);
}
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, dialog")) return;
  if (event.key === "Enter" && event.target.matches(".browser .card")) {
    const answers = [...event.target.querySelectorAll(".answer")];
    const open = answers.some((each) => !each.open);
    for (const each of answers) each.open = open;
    return;
  }
  const act = Object.hasOwn(ACTS, event.key) && ACTS[event.key];
  if (!act || !browsers.length || !(keys.inUse || event.key === "?")) return;
  event.preventDefault();
  act(browserInUse());
});
document.addEventListener("change", (event) => { if (event.target.name === "keys") keys.inUse = event.target.checked; });

const browsers = [...document.querySelectorAll(".browser")].map((each) => new ItemBrowser(each));
window.addEventListener("hashchange", followAddress);
window.addEventListener("popstate", ({ state }) => { if (state?.narrowed !== undefined) recall(state.narrowed); });
if (history.state?.narrowed !== undefined) recall(history.state.narrowed);
followAddress();
// A browser that has come to the address by itself takes the focus away.
window.addEventListener("load", () => { if (location.hash.startsWith("#item=")) followAddress(); });
