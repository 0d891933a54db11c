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

// Tables can be searched, and sorted by a click on a column's head; without this script they are as they were written.
const value = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
  return /^[-−]?[\d.,]+/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
};
const before = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
};
document.querySelectorAll("table.sortable").forEach((table) => {
  table.classList.add("live");
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      table.classList.add("sorted");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (up ? 1 : -1) * before(value(a, column), value(b, column)));
      table.tBodies[0].append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
});
document.querySelectorAll("input.filter").forEach((field) => {
  field.hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of document.getElementById(field.dataset.table).tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });
});
