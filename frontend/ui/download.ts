/** By this mark spreadsheets know that a CSV is UTF-8; reading an answer as text takes it away. */
const UTF8_MARK = "\uFEFF";

export function download(name: string, type: "text/csv" | "application/json", text: string): void {
  const content = type === "text/csv" ? UTF8_MARK + text : text;
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
