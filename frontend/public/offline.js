// The offline page: retries on request, and by itself once the site is reachable.
const LOOK_MS = 3_000;

// Read here, because a title has one language.
document.title = `${document.querySelector("h1").innerText} · Torcida`;

async function look() {
  const answer = await fetch("/robots.txt", { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

document.querySelector("button").addEventListener("click", () => location.reload());
addEventListener("online", look);
setInterval(look, LOOK_MS);
