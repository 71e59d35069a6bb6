"use strict";
// Media that the page itself holds get their address when they come near the window.
const addresses = new Map();
function addressOf(medium) {
  if (!addresses.has(medium)) {
    const holder = document.getElementById("medium-" + medium);
    addresses.set(medium, fetch(holder.textContent).then((answer) => answer.blob()).then(URL.createObjectURL));
  }
  return addresses.get(medium);
}
const nearby = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((each) => each.isIntersecting)) {
    const player = entry.target;
    nearby.unobserve(player);
    addressOf(player.dataset.medium).then((address) => { player.src = address + player.dataset.window; });
  }
}, { rootMargin: "600px" });
for (const player of document.querySelectorAll("[data-medium]")) nearby.observe(player);

// One medium plays at a time.
document.addEventListener("play", (event) => {
  for (const other of document.querySelectorAll("video, audio")) if (other !== event.target) other.pause();
}, true);

// Which cards of a list are shown.
for (const filter of document.querySelectorAll(".filter")) {
  const cards = [...filter.parentElement.querySelectorAll(".card")];
  const count = filter.querySelector("output");
  const show = (wanted) => {
    let shown = 0;
    for (const card of cards) {
      const outcomes = card.dataset.outcomes.split(" ");
      card.hidden = !(wanted === "all" || (wanted === "only-right" ? outcomes.join() === "right" : outcomes.some((each) => wanted.split(" ").includes(each))));
      shown += !card.hidden;
    }
    count.textContent = shown === cards.length ? "" : shown + " of " + cards.length;
  };
  filter.querySelector("select").addEventListener("change", (event) => show(event.target.value));
  filter.hidden = false;
}
