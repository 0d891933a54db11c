// The worker's page: one key per answer, the size of the screen, and no answer lost when the network is.
"use strict";
(() => {
  const trouble = () => document.getElementById("trouble");
  let waits = 1000;

  function measure(root) {
    for (const form of root.querySelectorAll("form")) {
      if (!form.elements.width) continue;
      form.elements.width.value = window.innerWidth;
      form.elements.height.value = window.innerHeight;
      form.elements.ratio.value = window.devicePixelRatio;
    }
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    const buttons = [...document.querySelectorAll(".task.current [data-key], .progress [data-key]")];
    const button = buttons.find((one) => one.dataset.key.toLowerCase() === event.key.toLowerCase());
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  }

  function say(text) {
    const place = trouble();
    if (!place) return;
    place.textContent = text;
    place.hidden = !text;
  }

  // While an answer is on its way no other can be given; sent twice, it counts once all the same.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const form = event.target.closest("form");
    if (form) for (const button of document.querySelectorAll("#work button")) button.disabled = true;
  });

  document.addEventListener("htmx:afterSwap", () => {
    waits = 1000;
    say("");
    measure(document);
    lookAgain();
    const question = document.querySelector(".task.current .question");
    (question || document.getElementById("main")).focus({ preventScroll: true });
  });

  // Not kept: say so, and send the same again until it is. The key of the task makes it count once.
  function retry(event) {
    const { elt, requestConfig } = event.detail;
    say("Your answer has not reached us yet. We keep trying; please leave this page open.");
    const values = requestConfig.parameters;
    window.setTimeout(() => {
      window.htmx.ajax("POST", requestConfig.path, { source: elt, target: "#work", swap: "outerHTML", values });
    }, waits);
    waits = Math.min(2 * waits, 30000);
  }
  document.addEventListener("htmx:sendError", retry);
  document.addEventListener("htmx:timeout", retry);
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status >= 500 || status === 429) retry(event);
    else say("Something is wrong with this page. Please load it again; what you have answered is kept.");
  });

  let timer = 0;
  function lookAgain() {
    const work = document.getElementById("work");
    window.clearTimeout(timer);
    if (work && ["nothing", "paused", "later", "draft"].includes(work.dataset.why)) {
      timer = window.setTimeout(() => window.htmx.ajax("GET", work.dataset.again, { target: "#work", swap: "outerHTML" }), 3000);
    }
  }

  document.addEventListener("keydown", press);
  document.addEventListener("DOMContentLoaded", () => { measure(document); lookAgain(); });
  window.addEventListener("resize", () => measure(document));
})();
