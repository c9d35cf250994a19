import { readdirSync } from "node:fs";
import { expect } from "chai";
import { z } from "zod";
import { ruleOf, sentenceOf } from "../../core/rules/broken-rule.ts";

/** Zod's own sentences, which name its types, patterns and limits. */
const ZODS = /^(Invalid|Too (big|small)|Unrecognized|Expected)|received|Zod|=\d/;
const VALUES = [
  ...["", "x", "\u0001", "x".repeat(5_000), "2026-99-99", "-5", "0", -1, 1.5, 1e30, Number.NaN, true, null],
  ...[[], [1], ["x"], {}, { a: 1 }, undefined],
];

/** The fields of a request's object, whatever it is made of. */
function fieldsOf(schema: unknown): string[] {
  let found = schema as { shape?: object; def?: { innerType?: unknown; in?: unknown } } | undefined;
  while (found && !found.shape) found = (found.def?.innerType ?? found.def?.in) as typeof found;
  return Object.keys(found?.shape ?? {});
}

/** docs/product.md#field-rules */
describe("A field that is refused", () => {
  it("is so in words of the product's, never in Zod's, whatever was sent and in every request", async () => {
    const folder = new URL("../../core/rules/api/", import.meta.url);
    const rules = new Set<string>();
    for (const file of readdirSync(folder)) {
      const module: Record<string, unknown> = await import(new URL(file, folder).href);
      for (const [name, schema] of Object.entries(module)) {
        if (!/(Request|Query|Hook)Schema$/.test(name) || !(schema instanceof z.ZodType)) continue;
        const sent = [...VALUES, ...fieldsOf(schema).flatMap((field) => VALUES.map((value) => ({ [field]: value })))];
        for (const issue of sent.flatMap((one) => schema.safeParse(one).error?.issues ?? [])) {
          // Its own sentence names the field.
          if (issue.code === "unrecognized_keys") continue;
          rules.add(ruleOf(issue).rule);
          expect(sentenceOf(issue), `${name}.${issue.path.join(".")}`).not.to.match(ZODS);
        }
      }
    }
    expect([...rules]).to.include.members(["text", "flag", "list", "object", "missing", "one_of", "max_length", "id"]);
  });

  it("that may also be empty is refused by the rule of its other form", () => {
    const link = z.union([z.literal(""), z.string().max(3, "too long")]);
    const [issue] = link.safeParse("four").error?.issues ?? [];
    expect(issue && ruleOf(issue)).to.deep.equal({ rule: "max_length", params: { max: 3 } });
    const [other] = link.safeParse(5).error?.issues ?? [];
    expect(other && sentenceOf(other)).to.equal("must be a text");
  });
});
