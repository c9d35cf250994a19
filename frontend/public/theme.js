// Runs before the first paint, so that the page never flashes in the other theme or language.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    const asked = new URLSearchParams(location.search).get("lang");
    if (asked === "en" || asked === "pt") localStorage.setItem("language", asked);
    document.documentElement.lang = localStorage.getItem("language") === "en" ? "en" : "pt-BR";
  } catch {
    document.documentElement.dataset.theme = "light";
  }
})();
