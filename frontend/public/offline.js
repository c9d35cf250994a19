// The offline page: retries on request, and by itself once the site is reachable.
const LOOK_MS = 3_000;

async function look() {
  const answer = await fetch("/robots.txt", { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

for (const button of document.querySelectorAll("button")) button.addEventListener("click", () => location.reload());
addEventListener("online", look);
setInterval(look, LOOK_MS);
