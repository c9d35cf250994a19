// Runs before the first paint, so that the page never flashes in the other theme or language.
(() => {
  const page = document.documentElement;
  try {
    const theme = localStorage.getItem("theme");
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = isDark ? "dark" : "light";
    // Each language with its locale, the default first: `core/rules/languages.ts`.
    const locales = JSON.parse(page.dataset.locales);
    const asked = new URLSearchParams(location.search).get("lang");
    if (Object.hasOwn(locales, asked)) localStorage.setItem("language", asked);
    const [standard] = Object.values(locales);
    page.lang = locales[localStorage.getItem("language")] ?? standard;
    if (page.lang === standard) return;
    const sheet = new CSSStyleSheet();
    sheet.insertRule(".first-paint:not([lang]) { display: none }");
    sheet.insertRule(`.first-paint[lang="${page.lang}"] { display: contents }`);
    document.adoptedStyleSheets = [sheet];
  } catch {
    page.dataset.theme = "light";
  }
})();
