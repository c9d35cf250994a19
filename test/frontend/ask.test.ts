import { expect } from "chai";
import { z } from "zod";
import { pauseCauseSchema } from "../../core/rules/pause-cause.ts";
import { held } from "../../frontend/api/ask.ts";
import { MalformedAnswer } from "../../frontend/api/http.ts";

const rowSchema = z.object({ id: z.number(), state: z.enum(["open", "done"]), wish: z.literal("call").optional() });
const schema = z.object({
  rows: z.array(rowSchema),
  topics: z.array(z.enum(["paid", "claims"])),
  cause: pauseCauseSchema.nullable(),
  waiting: z.number().default(0),
});
const answer = { rows: [{ id: 1, state: "open" }], topics: ["paid"], cause: { code: "unsaid" } };

const read = (change: object) => held(schema, "/api/admin/rows?x=1", { ...answer, ...change });

describe("An answer of the api, held to its schema", () => {
  it("is read with the words that this build knows, and without what it leaves out", () => {
    expect(read({ more: "of tomorrow" })).to.deep.equal({ ...answer, waiting: 0 });
  });

  it("keeps each word of a later server, and reads the rest", () => {
    const rows = [
      { id: 1, state: "paused", wish: "mail" },
      { id: 2, state: "done" },
    ];
    const later = { rows, topics: ["stickers", "claims"] };
    expect(read(later)).to.deep.equal({ ...answer, ...later, waiting: 0 });
  });

  it("keeps an object of a kind that it does not know", () => {
    const cause = { code: "eclipse", moon: 1 };
    expect(read({ cause })).to.deep.equal({ ...answer, cause, waiting: 0 });
  });

  for (const [what, change, field] of [
    ["a number where a word belongs", { rows: [{ id: 1, state: 7 }] }, "rows.0.state"],
    ["a word where a number belongs", { rows: [{ id: "one", state: "paused" }] }, "rows.0.id"],
    ["no list", { rows: null }, "rows"],
    ["a missing word", { rows: [{ id: 1 }] }, "rows.0.state"],
    ["a known kind without its parts", { cause: { code: "lost_nonce" } }, "cause.key"],
  ] as const) {
    it(`is refused with ${what}, beside a foreign word`, () => {
      expect(() => read({ topics: ["stickers"], ...change }))
        .to.throw(MalformedAnswer)
        .with.property("field", field);
    });
  }
});
