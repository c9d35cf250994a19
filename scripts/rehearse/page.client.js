// Refreshes the sales and the networks' state, except a card that is being edited.
const EVERY_MS = 1_000;
const shown = new Map();
const list = document.getElementById("sales");

function cardOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

async function refresh() {
  const answer = await fetch(`/now?lang=${document.documentElement.lang.slice(0, 2)}`);
  const { sales, networks } = await answer.json();
  for (const [index, { key, html }] of sales.entries()) {
    const card = document.getElementById(key);
    if (card?.contains(document.activeElement) || shown.get(key) === html) continue;
    shown.set(key, html);
    if (card) card.replaceWith(cardOf(html));
    else list.insertBefore(cardOf(html), list.children[index] ?? null);
  }
  document.getElementById("no-sales").hidden = sales.length > 0;
  for (const { key, text } of networks) document.getElementById(key).innerHTML = text;
}

setInterval(() => refresh().catch(() => {}), EVERY_MS);
