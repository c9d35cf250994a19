import { DATA_MAP } from "../../core/rules/data-map.ts";

type Column = { name: string; type: string; comment: string };

/** The tables of `core/database/generated/schema.ts` with their columns and the comments that the migrations give them. */
export function schemaColumns(source: string): Map<string, Column[]> {
  const body = source.slice(source.indexOf("export interface Schema"));
  const tables = new Map<string, Column[]>();
  let columns: Column[] = [];
  let comment = "";
  for (const line of body.slice(0, body.indexOf("\n}\n")).split("\n")) {
    const [, table] = /^ {2}(\w+): \{$/.exec(line) ?? [];
    const [, name, type = ""] = /^ {4}(\w+): (.*);$/.exec(line) ?? [];
    const [, words] = /^\s*(?:\/\*\*|\*)\s?(.*?)(?:\s*\*\/)?$/.exec(line) ?? [];
    if (table) {
      columns = [];
      tables.set(table, columns);
    } else if (name) columns.push({ name, type, comment: comment.trim() });
    comment = words && !name && !table ? `${comment} ${words}` : "";
  }
  return tables;
}

/** Text in a cell of a table. */
export const cell = (text: string) => text.replaceAll("|", "\\|");

/** How long a table's rows stay, as docs/operations.md says under *What ends*. */
export function retentionOf(operations: string, table: string): string | undefined {
  const section = operations.split('<a id="what-ends"></a>')[1] ?? "";
  const rows = [...section.matchAll(/^\| (`.*`) \| (.*) \|$/gm)];
  return rows.find(([, names = ""]) => names.includes(`\`${table}\``))?.[2];
}

/** Each column of each table: what it is for, whether it is about a person, and how long it stays. */
export function dataDocument(schema: string, operations: string): string {
  const tables = [...schemaColumns(schema)].map(([table, columns]) => {
    const { purpose = "", about, basis, personal = [] } = DATA_MAP[table] ?? {};
    const lines = columns.map(
      ({ name, type, comment }) =>
        `| \`${name}\` | ${cell(type)} | ${personal.includes(name) ? "yes" : ""} | ${cell(comment || purpose)} |`,
    );
    return [
      `## ${table}`,
      "",
      `For ${purpose}. About: ${about ?? "nobody"}${basis ? `; basis: ${basis}` : ""}. Its rows: ${retentionOf(operations, table)}.`,
      "",
      "| column | type | personal | purpose |",
      "|---|---|---|---|",
      ...lines,
      "",
    ].join("\n");
  });
  return `# What is stored\n\nA column without words of its own serves its table's purpose.\n\n${tables.join("\n")}`;
}

/** The record of processing (LGPD, art. 37): each purpose with personal data, its basis, and how long it stays. */
export function processingDocument(
  operations: string,
  { controller, contact }: { controller: string; contact: string | undefined },
): string {
  const rows = Object.entries(DATA_MAP).flatMap(([table, { about, purpose, basis, personal }]) =>
    about
      ? [
          `| ${purpose} | ${about} | ${basis} | \`${table}\`: ${personal?.join(", ")} | ${retentionOf(operations, table)} |`,
        ]
      : [],
  );
  return [
    "# Record of processing (LGPD, art. 37)",
    "",
    `Controller: ${controller}. Contact of the person in charge: ${contact ?? "**not named: set SUPPORT_CONTACT**"}.`,
    "",
    "Given to others: affiliate networks get a click's token, no name; push and mail services get what they deliver; the public",
    "chain has wallet, store, value and payment of each ticket, which nobody can erase. What leaves with an erasure:",
    "docs/product.md#erase.",
    "",
    "| purpose | about | basis (art. 7) | data | stays |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
