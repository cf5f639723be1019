// Controls for <div class="explorable">, whose frames were written by the notebook (helpers/explorables.py).
// This script only chooses which frame is visible; it runs at most once for each explorable.
for (const figure of document.querySelectorAll(".explorable:not([data-ready])")) {
  figure.dataset.ready = "";
  const controls = Object.entries(JSON.parse(figure.dataset.controls));
  const at = figure.dataset.start.split(",").map(Number);
  const frames = new Map([...figure.querySelectorAll(".frame")].map((frame) => [frame.dataset.at, frame]));
  const bar = document.createElement("div");
  bar.className = "explorable-bar";
  const status = document.createElement("p");
  status.className = "explorable-status";
  status.setAttribute("role", "status");
  const updates = [];

  const show = () => {
    for (const [key, frame] of frames) frame.hidden = key !== at.join(",");
    updates.forEach((update) => update());
    status.textContent = controls.map(([name, labels], i) => `${name}: ${labels[at[i]]}`).join(", ");
  };

  controls.forEach(([name, labels], i) => {
    const last = labels.length - 1;
    const move = (to) => { at[i] = Math.max(0, Math.min(last, to)); show(); };
    const button = (text, label, by) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", label);
      made.onclick = () => move(at[i] + by);
      // aria-disabled keeps the focus where it is at either end.
      updates.push(() => made.setAttribute("aria-disabled", at[i] + by < 0 || at[i] + by > last));
      return made;
    };
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: last, step: 1 });
    slider.setAttribute("aria-label", name);
    slider.oninput = () => move(Number(slider.value));
    updates.push(() => { slider.value = at[i]; slider.setAttribute("aria-valuetext", labels[at[i]]); });
    const label = document.createElement("span");
    label.textContent = name;
    const group = document.createElement("span");
    group.className = "explorable-control";
    group.append(label, button("◀", `${name}: one back`, -1), slider, button("▶", `${name}: one on`, 1));
    bar.append(group);
  });
  figure.querySelector(".explorable-caption").after(bar, status);
  show();
}
