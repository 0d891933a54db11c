// The worker's page: one key per answer, the size of the screen, and no answer lost when the network is.
"use strict";
(() => {
  const DOUBLE_CLICK = 350; // milliseconds after a task is shown in which nobody has seen it yet
  const all = (selector) => [...document.querySelectorAll(selector)];
  let waits = 1000;
  let height = "";

  function measure() {
    for (const form of all("#work form")) {
      if (!form.elements.width) continue;
      form.elements.width.value = window.innerWidth;
      form.elements.height.value = window.innerHeight;
      form.elements.ratio.value = window.devicePixelRatio;
    }
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, select, textarea, video, audio, [contenteditable]")) return;
    const buttons = all(".task.current [data-key], .progress [data-key]");
    const button = buttons.find((one) => one.dataset.key.toLowerCase() === event.key.toLowerCase());
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  }

  // A click into a document gives it the keyboard, and its sandbox tells us no key. Whoever came by Tab stays there, to
  // scroll; whoever clicked gets the keys of the answers back.
  let tabbed = -Infinity; // when Tab was pressed last, in milliseconds
  function takeBackKeys() {
    const frame = document.activeElement;
    const came = performance.now() - tabbed < 500;
    if (frame?.tagName === "IFRAME" && !came) window.setTimeout(() => { frame.blur(); window.focus(); }, 0);
  }

  function say(text) {
    const place = document.getElementById("trouble");
    if (!place) return;
    place.textContent = text;
    place.hidden = !text;
  }

  function enable(yes) {
    for (const button of all("#work button")) button.disabled = !yes;
  }

  // What the next tasks show is loaded now: pictures by their links, sounds and videos here.
  function loadAhead() {
    for (const one of all("#work .ahead")) {
      if (one.dataset.address.startsWith("/")) window.fetch(one.dataset.address, { priority: "low" }).catch(() => {});
    }
  }

  // A frame that was made higher or lower stays so on the pages that follow.
  function keepHeight() {
    for (const frame of all(".frame")) {
      if (height) frame.style.height = height;
      new ResizeObserver(() => { if (frame.style.height) height = frame.style.height; }).observe(frame);
    }
  }

  function ready() {
    measure();
    loadAhead();
    keepHeight();
    lookAgain();
    document.querySelector("sidewise-keys")?.show();
  }

  // While an answer is on its way no other can be given; sent twice, it counts once all the same.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.closest("form")) enable(false);
  });

  // The second click of a double click would meet the task that has just come: it meets nothing.
  document.addEventListener("htmx:afterSwap", () => {
    waits = 1000;
    say("");
    ready();
    enable(false);
    window.setTimeout(() => enable(true), DOUBLE_CLICK);
    (document.querySelector(".task.current") || document.getElementById("main")).focus({ preventScroll: true });
  });

  // Not kept: say so, and send the same again until it is. The key of the task makes it count once.
  function retry(event) {
    const { elt, requestConfig } = event.detail;
    if (requestConfig.verb !== "post") return lookAgain();
    say("Your answer has not reached us yet. We keep trying; please leave this page open.");
    const values = Object.fromEntries(Object.entries(requestConfig.parameters));
    window.setTimeout(() => {
      window.htmx.ajax("POST", requestConfig.path, { source: elt, target: "#work", swap: "outerHTML", values }).catch(() => {});
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
      const look = () => window.htmx.ajax("GET", work.dataset.again, { target: "#work", swap: "outerHTML" }).catch(() => {});
      timer = window.setTimeout(look, 3000);
    }
  }

  // Keys of the worker's own choice, kept in this browser.
  class Keys extends HTMLElement {
    connectedCallback() {
      this.hidden = false;
      this.fields = [...this.querySelectorAll("input")];
      this.usual = new Map(this.fields.map((field) => [field.dataset.name, field.value]));
      this.store = `sidewise-keys-${this.dataset.campaign}`;
      this.own = new Map(JSON.parse(window.localStorage.getItem(this.store) || "[]"));
      this.addEventListener("keydown", (event) => this.pressed(event));
      this.querySelector("button").addEventListener("click", () => this.set(new Map()));
      this.show();
    }

    key(name) { return this.own.get(name) ?? this.usual.get(name); }

    // A key that another answer has is exchanged with it, so that each has one of its own.
    pressed(event) {
      const name = event.target.dataset?.name;
      const useful = event.key.length === 1 ? event.key !== " " : /^Arrow|^Backspace$|^Delete$|^Home$|^End$|^Page/.test(event.key);
      if (!name || !useful || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const own = new Map(this.own);
      const other = [...this.usual.keys()].find((one) => this.key(one).toLowerCase() === event.key.toLowerCase());
      if (other) own.set(other, this.key(name));
      this.set(own.set(name, event.key));
    }

    set(own) {
      this.own = own;
      window.localStorage.setItem(this.store, JSON.stringify([...own]));
      this.show();
    }

    show() {
      for (const field of this.fields || []) field.value = this.key(field.dataset.name);
      for (const button of all("#work [data-name]")) {
        button.dataset.key = this.key(button.dataset.name);
        button.querySelector("kbd").textContent = button.dataset.key;
      }
    }
  }

  document.addEventListener("keydown", (event) => { if (event.key === "Tab") tabbed = performance.now(); press(event); });
  window.addEventListener("blur", takeBackKeys);
  document.addEventListener("DOMContentLoaded", () => { window.customElements.define("sidewise-keys", Keys); ready(); });
  window.addEventListener("resize", measure);
})();
