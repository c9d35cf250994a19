// Of the offline page: tries again when asked to, and by itself when the connection is back.
for (const button of document.querySelectorAll("button")) button.addEventListener("click", () => location.reload());
addEventListener("online", () => location.reload());
