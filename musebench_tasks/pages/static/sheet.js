// On paper: no table wider than the sheet, lying or standing.
const SHEET_PX = document.querySelector("table.board") ? 950 : 690;
const LARGEST = 0.8;
window.addEventListener("beforeprint", () => {
  for (const table of document.querySelectorAll(".scroll > table")) {
    table.style.zoom = 1;
    table.style.zoom = Math.min(LARGEST, SHEET_PX / table.scrollWidth);
  }
});
window.addEventListener("afterprint", () => {
  for (const table of document.querySelectorAll(".scroll > table")) table.style.zoom = "";
});
