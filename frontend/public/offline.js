// Of the offline page: tries again when asked to, and by itself once the site can be reached.
const LOOK_MS = 3_000;

async function look() {
  const answer = await fetch("/robots.txt", { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

for (const button of document.querySelectorAll("button")) button.addEventListener("click", () => location.reload());
addEventListener("online", look);
setInterval(look, LOOK_MS);
