// On paper: every item that is shown, tables that are folded away, and none wider than the sheet.
const SHEET_PX = 690;
const LARGEST = 0.8;
window.addEventListener("beforeprint", () => {
  for (const each of browsers) each.shown.forEach(build);
  for (const each of document.querySelectorAll("details.more:not([open])")) {
    each.open = true;
    each.dataset.folded = "";
  }
  for (const table of document.querySelectorAll(".scroll > table")) {
    table.style.zoom = 1;
    table.style.zoom = Math.min(LARGEST, SHEET_PX / table.scrollWidth);
  }
});
window.addEventListener("afterprint", () => {
  for (const table of document.querySelectorAll(".scroll > table")) table.style.zoom = "";
  for (const each of document.querySelectorAll("details[data-folded]")) {
    each.open = false;
    delete each.dataset.folded;
  }
});
