"use strict";
// Players: a medium is loaded when it comes near the window, only the item's stretch of it plays, one at a time, and
// none by itself. Below it lie tracks with the times of the frames that were received.
const NEAR = "400px 0px";
const STEP_S = 0.02;
const players = new WeakMap();

// Media that the page itself holds become files in memory, once each.
const embedded = new Map();
function addressOf(medium) {
  if (!embedded.has(medium)) {
    const holder = document.getElementById("medium-" + medium);
    embedded.set(medium, fetch(holder.textContent).then((answer) => answer.blob()).then(URL.createObjectURL));
  }
  return embedded.get(medium);
}

const nearby = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) load(target); else release(target);
}, { rootMargin: NEAR });

// Looks after the media and tracks inside `root`.
function watch(root) {
  for (const medium of root.querySelectorAll("video, audio, img[data-medium]")) {
    const address = medium.getAttribute("src") || "";
    const [, start, end] = /#t=([\d.]+)(?:,([\d.]+))?$/.exec(medium.dataset.window || address) || [];
    players.set(medium, { address, start: Number(start || 0), end: Number(end || Infinity), wasPlayed: false });
    nearby.observe(medium);
  }
  for (const track of root.querySelectorAll(".track[data-times]")) equip(track);
}

async function load(medium) {
  const player = players.get(medium);
  if (medium.dataset.medium) player.address = await addressOf(medium.dataset.medium) + medium.dataset.window;
  medium.preload = "metadata";
  if (medium.getAttribute("src") !== player.address) medium.src = player.address;
}

// What was never played is let go when it is far: browsers hold a limited number of open media.
function release(medium) {
  const player = players.get(medium);
  if (medium.localName === "img" || player.wasPlayed || medium.readyState === 0) return;
  medium.preload = "none";
  medium.removeAttribute("src");
  medium.load();
}

function whenReady(medium, act) {
  if (medium.readyState > 0) act();
  else medium.addEventListener("loadedmetadata", act, { once: true });
  load(medium);
}

function toggle(medium) {
  if (medium.paused) whenReady(medium, () => medium.play().catch(() => {}));
  else medium.pause();
}

// The window: playing begins and ends with it, and seeking stays inside.
function follow(medium) {
  const player = players.get(medium);
  if (!player) return;
  if (medium.currentTime >= player.end && !medium.paused) {
    medium.pause();
    medium.currentTime = player.end;
  }
  for (const track of tracksOf(medium)) mark(track, medium.currentTime);
  if (!medium.paused && !medium.ended) requestAnimationFrame(() => follow(medium));
}
document.addEventListener("play", ({ target }) => {
  const player = players.get(target);
  if (!player) return;
  player.wasPlayed = true;
  for (const other of document.querySelectorAll("video, audio")) if (other !== target) other.pause();
  if (target.currentTime < player.start - STEP_S || target.currentTime >= player.end - STEP_S) target.currentTime = player.start;
  follow(target);
}, true);
document.addEventListener("timeupdate", ({ target }) => { if (target.paused) follow(target); }, true);
document.addEventListener("seeking", ({ target }) => {
  const player = players.get(target);
  if (!player) return;
  if (target.currentTime < player.start - STEP_S) target.currentTime = player.start;
  else if (target.currentTime > player.end + STEP_S) target.currentTime = player.end;
}, true);

// Tracks.
const mediumOf = (track) => track.parentElement.querySelector("video, audio");
const tracksOf = (medium) => medium.parentElement.querySelectorAll(".track[data-times]");
const timesOf = (track) => track.dataset.times.split(" ").map(Number);

function equip(track) {
  const line = track.querySelector("p");
  for (const [step, sign, name] of [[-1, "‹", "Previous frame received"], [1, "›", "Next frame received"]]) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: sign, ariaLabel: name });
    button.addEventListener("click", () => stepFrame(track, step));
    line.append(button);
  }
  line.append(document.createElement("output"));
  const drawing = track.querySelector("svg");
  const head = drawing.querySelector("path").cloneNode();
  head.setAttribute("class", "head");
  head.setAttribute("d", "");
  drawing.append(head);
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const at = places(track).map((place) => Math.abs(place / 1000 - (event.clientX - box.left) / box.width));
    showFrame(track, at.indexOf(Math.min(...at)));
  });
}

// Where the ticks stand, in thousandths of the window.
const places = (track) => track.querySelector("path").getAttribute("d").match(/[\d.]+(?= 0V)/g).map(Number);

function stepFrame(track, step) {
  const times = timesOf(track);
  const now = mediumOf(track).currentTime;
  const at = step > 0 ? times.findIndex((time) => time > now + STEP_S) : times.findLastIndex((time) => time < now - STEP_S);
  showFrame(track, at >= 0 ? at : step > 0 ? times.length - 1 : 0);
}

function showFrame(track, number) {
  const medium = mediumOf(track);
  const time = timesOf(track)[number];
  players.get(medium).wasPlayed = true;
  whenReady(medium, () => { medium.pause(); medium.currentTime = time; });
  track.querySelector("output").textContent = "frame " + (number + 1) + ", " + time.toFixed(1) + " s";
}

function mark(track, time) {
  const times = timesOf(track);
  const after = times.findIndex((each) => each > time + STEP_S);
  const at = (after < 0 ? times.length : after) - 1;
  track.querySelector(".head").setAttribute("d", at < 0 ? "" : "M" + places(track)[at] + " 0V8");
}

watch(document);
