/** By this mark spreadsheets know that a CSV is UTF-8; reading an answer as text takes it away. */
const UTF8_MARK = "\uFEFF";

export function download(name: string, type: "text/csv" | "application/json", text: string): void {
  const content = type === "text/csv" ? UTF8_MARK + text : text;
  downloadFile(new File([content], name, { type: `${type};charset=utf-8` }));
}

export function downloadFile(file: File): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
