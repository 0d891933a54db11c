// The dashboard renews itself every few seconds: tables that were opened stay open, and keep the focus.
"use strict";
(() => {
  let open = [];
  let focused = "";
  document.addEventListener("htmx:beforeSwap", () => {
    open = [...document.querySelectorAll("#live details[open]")].map((one) => one.id);
    focused = document.activeElement?.closest("#live details")?.id || "";
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.querySelector(`#${focused} summary`)?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches("input[readonly]")) event.target.select();
  });
})();
