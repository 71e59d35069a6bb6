// On paper: every item that is shown, and tables that are folded away.
window.addEventListener("beforeprint", () => {
  for (const each of browsers) each.shown.forEach(build);
  for (const each of document.querySelectorAll("details.more:not([open])")) {
    each.open = true;
    each.dataset.folded = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const each of document.querySelectorAll("details[data-folded]")) {
    each.open = false;
    delete each.dataset.folded;
  }
});
