// Leaderboards: rows sort by any column, and narrow down by system, benchmark, track, condition and tier.
const sections = [...document.querySelectorAll("section[data-task]")];
const filter = document.querySelector(".board-filter");

// Numbers before what was not asked, whichever way; words by the reader's alphabet.
function compare(one, other, sign) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const difference = Number(one) - Number(other);
  return sign * (Number.isNaN(difference) ? one.localeCompare(other) : difference);
}
function sortBy(table, head, place) {
  const isRank = place === 0;
  const before = head.getAttribute("aria-sort");
  const first = isRank || head.matches(".words") ? "ascending" : "descending";
  const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
  for (const each of table.querySelectorAll("[aria-sort]")) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const body = table.querySelector("[data-systems]");
  const value = (row) => row.children[place].dataset.sort ?? row.children[place].textContent.trim();
  const rows = [...body.rows].sort((one, other) => compare(value(one), value(other), order === "ascending" ? 1 : -1));
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.board")) {
  [...table.querySelector("[data-heads]").children].forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(table, head, place));
    if (place === 0) head.setAttribute("aria-sort", "ascending");
  });
}

function narrow() {
  const wanted = Object.fromEntries(new FormData(filter));
  const name = (wanted.name || "").trim().toLowerCase();
  let shown = 0;
  let all = 0;
  for (const section of sections) {
    const { task, track } = section.dataset;
    const fits = (!wanted.task || wanted.task === task) && (!wanted.track || wanted.track === track);
    let here = 0;
    for (const row of section.querySelectorAll("[data-systems] > tr")) {
      const { tier, conditions } = row.dataset;
      row.hidden = !((!wanted.tier || wanted.tier === tier) && row.dataset.name.includes(name)
        && (!wanted.condition || conditions.split(" ").includes(wanted.condition)));
      all += 1;
      here += !row.hidden;
    }
    section.hidden = !fits || !here;
    shown += fits ? here : 0;
  }
  const count = (number) => `${number} submission${number === 1 ? "" : "s"}`;
  filter.querySelector("output").value = shown === all ? count(all) : `${shown} of ${count(all)}`;
}
filter.hidden = false;
filter.addEventListener("input", narrow);
filter.addEventListener("submit", (event) => event.preventDefault());
narrow();
