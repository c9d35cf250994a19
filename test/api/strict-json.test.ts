import { expect } from "chai";
import fc from "fast-check";
import { parseStrictJson } from "../../api/http/strict-json.ts";
import { readMicros } from "../../core/rules/sale/value.ts";
import { readLocalTime } from "../../core/sales/admitad/local-time.ts";
import { parseExactJson, Row, readTime } from "../../core/sales/row.ts";

/** RFC 8259: what may stand before and after each token. */
const blanks = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 200, size: "max" });

type Json = null | boolean | number | string | Json[] | Fields;
/** In order, and not as an object, so that a key may come twice and `__proto__` is one. */
type Fields = { fields: [string, Json][] };

const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && "fields" in value;

/** The value as JSON with blanks around each token; `textOf` writes a number. */
function written(value: Json, blank: () => string, textOf: (value: number) => string = JSON.stringify): string {
  const of = (one: Json): string => written(one, blank, textOf);
  const list = (all: string[]) => all.join(`${blank()},`);
  const text = () => {
    if (Array.isArray(value)) return `[${list(value.map(of))}${blank()}]`;
    if (isFields(value)) {
      const fields = value.fields.map(([key, one]) => `${blank()}${JSON.stringify(key)}${blank()}:${of(one)}`);
      return `{${list(fields)}${blank()}}`;
    }
    return typeof value === "number" ? textOf(value) : JSON.stringify(value);
  };
  return `${blank()}${text()}${blank()}`;
}

const someText = fc.oneof(fc.constantFrom(":", '":', "\\", '"', "{", "a:b", "\\u003a", "__proto"), fc.string());
/** It is refused as a key, which has a test of its own. */
const PROTOTYPES = ["__proto__", "constructor", "prototype"];
const someKey = someText.filter((one) => !PROTOTYPES.includes(one));
/** V8 forgets how a number below this key was written. */
const FORGOTTEN = '"';
const { json } = fc.letrec<{ json: Json; fields: Fields }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    someText,
    fc.array(tie("json"), { maxLength: 4 }),
    tie("fields"),
  ),
  fields: fc.record({
    fields: fc.uniqueArray(fc.tuple(someKey, tie("json")), { maxLength: 4, selector: ([key]) => key }),
  }),
}));

/** Draws a stretch of blanks for each place from a few that fast-check chose. */
function drawn(stretches: readonly string[]): () => string {
  let next = 0;
  return () => stretches[next++ % stretches.length] ?? "";
}

const manyBlanks = fc.array(blanks, { minLength: 1, maxLength: 7 }).map(drawn);

describe("JSON, with blanks wherever it may have them", () => {
  it("is what JSON.parse reads if no key is doubled", () => {
    fc.assert(
      fc.property(json, manyBlanks, (value, blank) => {
        const text = written(value, blank);
        expect(parseStrictJson(text)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it("is refused if a key is doubled, however far its colon, and also if one is written with escapes", () => {
    fc.assert(
      fc.property(
        someKey,
        json,
        json,
        json,
        manyBlanks,
        fc.boolean(),
        (name, one, between, other, blank, isEscaped) => {
          const text = written(
            {
              fields: [
                ["first", between],
                ["_1", one],
                ["_2", other],
              ],
            },
            blank,
          );
          const escaped = `"${[...name].map((unit) => [...unit].flatMap(escapesOf).join("")).join("")}"`;
          const doubled = text
            .replace('"_1"', () => JSON.stringify(name))
            .replace('"_2"', () => (isEscaped ? escaped : JSON.stringify(name)));
          expect(() => parseStrictJson(doubled)).to.throw(/twice/);
        },
      ),
    );
  });

  it("is refused if it has a key of prototypes, at any depth", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PROTOTYPES), json, manyBlanks, fc.nat(5), (name, value, blank, depth) => {
        let nested: Json = { fields: [[name, value]] };
        for (let level = 0; level < depth; level++) nested = level % 2 ? [nested] : { fields: [["a", nested]] };
        expect(() => parseStrictJson(written(nested, blank))).to.throw(/not allowed/);
        expect(() => parseStrictJson(written([name, { fields: [["a", name]] }], blank))).not.to.throw();
      }),
    );
  });

  it("keeps each number of a network as it was written", () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(json, manyBlanks, fc.array(digits, { minLength: 1, maxLength: 5 }), (value, blank, numbers) => {
        fc.pre(!JSON.stringify(value).includes(JSON.stringify(FORGOTTEN)));
        let next = 0;
        const text = written({ fields: [["rows", value]] }, blank, () => numbers[next++ % numbers.length] ?? "0");
        next = 0;
        const asText = written(
          { fields: [["rows", value]] },
          () => "",
          () => `"${numbers[next++ % numbers.length] ?? "0"}"`,
        );
        expect(parseExactJson(text)).to.deep.equal(JSON.parse(asText));
      }),
    );
  });

  it("gives a network's row the same fields", () => {
    const cents = fc.integer({ min: -(10 ** 9), max: 10 ** 9 });
    fc.assert(
      fc.property(cents, manyBlanks, (amount, blank) => {
        const figure = (amount / 100).toFixed(2);
        const text = written(
          {
            fields: [
              ["amount", amount],
              ["at", "2026-11-20T14:03:00Z"],
              ["local", "2026-11-20 14:03:00"],
            ],
          },
          blank,
          () => figure,
        );
        const row = new Row(parseExactJson(text));
        expect(row.micros("amount")).to.equal(BigInt(amount) * 10_000n);
        expect(row.time("at", readTime)).to.equal(BigInt(Date.UTC(2026, 10, 20, 14, 3)));
        expect(row.time("local", (local) => readLocalTime(local, "America/Sao_Paulo"))).to.equal(
          BigInt(Date.UTC(2026, 10, 20, 17, 3)),
        );
        expect(row.problems).to.deep.equal([]);
      }),
    );
  });

  it("has amounts and times that blanks around them do not change, and blanks within make unreadable", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 10 ** 9 }), blanks, blanks.filter(Boolean), (amount, around, within) => {
        const text = String(amount);
        expect(readMicros(`${around}${text}${around}`)).to.equal(BigInt(amount) * 1_000_000n);
        expect(readMicros(`${text.slice(0, 1)}${within}${text.slice(1)}`)).to.equal(undefined);
        const time = "2026-11-20 14:03:00";
        const read = (given: string) => [readTime(given), readLocalTime(given, "UTC")];
        expect(read(`${around}${time}${around}`)).to.deep.equal(read(time));
        expect(read(time.replace("14:", `14${within}:`))).to.deep.equal([undefined, undefined]);
      }),
    );
  });
});

/** A character as `\uXXXX`, for each of its code units. */
function escapesOf(character: string): string[] {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  });
}
