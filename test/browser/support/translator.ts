/**
 * Runs in the page before the app: what Chrome's translator does to it. Each text is taken out, and an element with other
 * words stands in its place, also for texts that come later.
 */
export function installTranslator(): void {
  const SKIPPED = /^(SCRIPT|STYLE|NOSCRIPT|TEXTAREA|TITLE)$/;
  const translate = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
    if (root.nodeType === Node.TEXT_NODE) texts.push(root as Text);
    for (const text of texts) {
      const parent = text.parentElement;
      if (!parent || SKIPPED.test(parent.tagName) || parent.closest("font, svg") || !text.data.trim()) continue;
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  const watch = () => {
    translate(document.body);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) translate(node);
    }).observe(document.body, { childList: true, subtree: true });
  };
  addEventListener("DOMContentLoaded", () => setTimeout(watch, 300));
}
