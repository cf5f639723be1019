// What test_browser.py asks of a page, beside axe.

// Hints, solutions and folded code are part of the page.
for (const folded of document.querySelectorAll("details")) folded.open = true;

// A page has thousands of code tokens in a dozen colours, and axe looks at each, for seconds. So what a program repeats
// is left once: tokens become plain text; figures and the drawings in copy buttons, which are one image each, keep their
// names only. The shadow at the edge of a wide table is an image to axe, which then judges no words on it.
function thin() {
  const seen = new Set();
  for (const token of document.querySelectorAll(".highlight pre :is(span, a), code > span")) {
    const kind = token.className + "/" + token.parentElement.className;
    if (seen.has(kind)) token.replaceWith(...token.childNodes);
    seen.add(kind);
  }
  for (const shape of document.querySelectorAll("button.copybtn svg > :not(title)")) shape.remove();
  for (const drawing of document.querySelectorAll("svg[role=img]")) drawing.replaceChildren();
  for (const box of document.querySelectorAll(".text_html, .table-wrapper")) box.style.backgroundImage = "none";
}

const OF_COLOUR = ["color-contrast", "link-in-text-block"];

const lines = (violations) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.at(-1)} ${node.html.slice(0, 120)}`));

// The faults axe finds by all rules that are not of colour.
async function structure() {
  thin();
  const rules = Object.fromEntries(OF_COLOUR.map((rule) => [rule, { enabled: false }]));
  return lines((await axe.run({ rules, resultTypes: ["violations"], preload: false })).violations);
}

// The element with the most words of each look: colour, size, weight, the backgrounds behind it, what sets a link apart.
// A single sign is left out, as axe does.
function looks() {
  const found = new Map();
  const behind = new Map([[null, ""]]);
  for (const element of document.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const paint = [style.backgroundColor, style.backgroundImage, style.opacity];
    behind.set(element, behind.get(element.parentElement) + paint);
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const length = texts.map((node) => node.data.trim()).join("").length;
    if (length < 2 || !element.checkVisibility()) continue;
    const look = [style.color, style.fontSize, style.fontWeight, behind.get(element)];
    if (element.localName === "a") look.push(style.textDecorationLine, getComputedStyle(element.parentElement).color);
    if (!(found.get(`${look}`)?.length >= length)) found.set(`${look}`, { element, length });
  }
  return new Map([...found].map(([look, { element }]) => [look, element]));
}

// The faults of colour in the looks that are not known to be right, and the looks that are right.
async function colour(known) {
  const unknown = looks();
  for (const look of known) unknown.delete(look);
  if (unknown.size === 0) return [[], []];
  const options = { runOnly: OF_COLOUR, elementRef: true, preload: false };
  const { violations, passes } = await axe.run({ include: [...unknown.values()] }, options);
  const elements = (results) => results.flatMap(({ nodes }) => nodes.map((node) => node.element));
  const right = new Set(elements(passes.filter(({ id }) => id === "color-contrast")));
  for (const element of elements(violations)) right.delete(element);
  return [lines(violations), [...unknown].filter(([, element]) => right.has(element)).map(([look]) => look)];
}

// What reaches beyond the right edge of the window without something around it that scrolls.
function overflow() {
  const scrolls = (element) => /auto|scroll|hidden/.test(getComputedStyle(element).overflowX);
  const held = (element) => element.localName !== "article" && (scrolls(element) || held(element.parentElement));
  return [...document.querySelectorAll("article *")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !held(element.parentElement))
    .map((element) => `${element.localName} ${element.className} ${element.textContent.trim().slice(0, 40)}`)
    .slice(0, 5);
}

// Words in figures that are cut off, lie on other words, or are too small to read.
function illegible(smallest) {
  const faults = [];
  for (const drawing of document.querySelectorAll("figure.plot svg")) {
    const frame = drawing.getBoundingClientRect();
    const level = [];
    for (const text of drawing.querySelectorAll("text")) {
      const { left, right, top, bottom, height } = text.getBoundingClientRect();
      const words = text.textContent.trim();
      if (left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1) {
        faults.push(`cut off: ${words}`);
      }
      const turn = text.getScreenCTM();
      const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(turn.a, turn.b);
      if (size < smallest) faults.push(`${size.toFixed(1)} pixels: ${words}`);
      // The box of a line of text has room above and below its letters.
      if (turn.b === 0) level.push({ words, left, right, top: top + height / 4, bottom: bottom - height / 4 });
    }
    level.forEach((a, i) => {
      for (const b of level.slice(i + 1)) {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
          faults.push(`overlap: ${a.words} / ${b.words}`);
        }
      }
    });
  }
  return faults;
}
