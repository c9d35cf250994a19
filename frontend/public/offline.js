// The offline page: retries on request, and by itself once the site is reachable.
const LOOK_MS = 3_000;

// Read here, because a title has one language.
const heading = [...document.querySelectorAll("h1")].find((one) => one.checkVisibility());
document.title = `${heading.innerText} · Torcida`;

async function look() {
  const answer = await fetch("/robots.txt", { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

for (const retry of document.querySelectorAll("button")) retry.addEventListener("click", () => location.reload());
addEventListener("online", look);
setInterval(look, LOOK_MS);
