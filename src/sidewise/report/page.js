// The pictures carry a description of every mark for screen readers: show it at the pointer as well.
const tip = document.getElementById("tip");
document.querySelectorAll("figure").forEach((figure) => {
  figure.addEventListener("pointermove", (event) => {
    const mark = event.target.closest("[aria-roledescription][aria-label]");
    const described = mark && figure.contains(mark) && /^(bar|rect mark|rule mark|point|circle)$/.test(mark.getAttribute("aria-roledescription"));
    tip.hidden = !described;
    if (!described) return;
    tip.textContent = mark.getAttribute("aria-label");
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 16 + "px";
  });
  figure.addEventListener("pointerleave", () => { tip.hidden = true; });
});
