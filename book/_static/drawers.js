// On a narrow page furo opens its two drawers by labels that a keyboard cannot reach: make the icon in each a button.
for (const icon of document.querySelectorAll(".nav-overlay-icon > .icon, .toc-overlay-icon > .icon")) {
  const box = document.getElementById(icon.parentElement.htmlFor);
  const tell = () => icon.setAttribute("aria-expanded", box.checked);
  icon.tabIndex = 0;
  icon.setAttribute("role", "button");
  icon.setAttribute("aria-label", box.getAttribute("aria-label"));
  box.addEventListener("change", tell);
  icon.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      box.click();
    }
  });
  tell();
}

// The contents of the book start at the page that is read, not at the first.
const here = document.querySelector(".sidebar-tree .current-page > a");
const contents = here?.closest(".sidebar-scroll");
if (contents) {
  const distance = here.getBoundingClientRect().top - contents.getBoundingClientRect().top;
  contents.scrollBy({ top: distance - contents.clientHeight / 3, behavior: "instant" });
}
