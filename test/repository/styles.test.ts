import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";
import postcss, { type AtRule, type Declaration, type Rule } from "postcss";

/** Names of helper classes: a spacing, a size or a text style, and nothing else. */
const HELPER = /^(?:[mp][trblxy]?|gap|space-[xy]|[hw]|(?:min|max)-[hw]|text|font|items|justify|grid-cols)-[\w/.-]+$/;

/** A length that is not measured by a window, a container or a fraction: it stands in `design/tokens.css`, or nowhere. */
const LENGTH = /(?<![\w.-])-?(?:\d*\.)?\d+(?:rem|em|px|pt|ch)\b/;
const SIZE = /^font(?:-size)?$|^--largest$/;
const SPACING = /^(?:margin|padding)(?:-.+)?$|^(?:row-|column-)?gap$|^--pad$|^--step$/;
const WIDTHS = [20, 34, 44, 62];
const MOST_SIZES = 10;

// The extension stands alone: it loads nothing of the site.
const roots = globSync("frontend/**/*.css", { exclude: ["frontend/extension/**"] }).map((file) =>
  postcss.parse(readFileSync(file, "utf8"), { from: file }),
);
const at = (node: Declaration | Rule) =>
  `${node.source?.input.from?.split("/frontend/")[1]}:${node.source?.start?.line}`;

function declarations(): Declaration[] {
  const found: Declaration[] = [];
  for (const root of roots) root.walkDecls((one) => void found.push(one));
  return found;
}

function rules(): Rule[] {
  const found: Rule[] = [];
  for (const root of roots) root.walkRules((one) => void found.push(one));
  return found.filter((one) => condition(one)?.name !== "keyframes");
}

const condition = ({ parent }: Rule) => (parent?.type === "atrule" ? (parent as AtRule) : undefined);
/** The rules that have a key in common. */
function twice(all: readonly Rule[], keyOf: (one: Rule) => string): string[][] {
  const groups = Object.values(Object.groupBy(all, keyOf)).flatMap((group) => (group ? [group] : []));
  return groups.filter(({ length }) => length > 1).map((group) => group.map((one) => `${at(one)} ${one.selector}`));
}

describe("Styles", () => {
  it("have ten font sizes and ten spacings, each token with one value", () => {
    for (const kind of ["--text-", "--space-"]) {
      const tokens = declarations().filter(({ prop }) => prop.startsWith(kind));
      const values = new Map(tokens.map(({ prop, value }) => [prop, value]));
      expect(values.size, kind).to.be.within(2, MOST_SIZES);
      expect(tokens.filter(({ prop, value }) => values.get(prop) !== value).map(at)).to.deep.equal([]);
    }
  });

  it("take every font size, margin, padding and gap from a token", () => {
    const literal = declarations().filter(
      ({ prop, value }) =>
        (SPACING.test(prop) && LENGTH.test(value)) ||
        (SIZE.test(prop) && (LENGTH.test(value) || /%|\b(?:small|medium|large|smaller|larger)\b/.test(value))),
    );
    expect(literal.map((one) => `${at(one)} ${one}`)).to.deep.equal([]);
    const inline = globSync("frontend/**/*.tsx").filter((file) =>
      /style=\{\{[^}]*\b(?:font|margin|padding|gap)/.test(readFileSync(file, "utf8")),
    );
    expect(inline).to.deep.equal([]);
  });

  it("name no variable that nothing sets", () => {
    const set = new Set(declarations().map(({ prop }) => prop));
    const scripts = globSync("frontend/**/*.{ts,tsx}").map((file) => readFileSync(file, "utf8"));
    const used = declarations().flatMap((one) =>
      [...one.value.matchAll(/var\((--[\w-]+)(,?)/g)].map(([, name = "", fallback]) => ({ one, name, fallback })),
    );
    const unset = used.filter(
      ({ name, fallback }) => !fallback && !set.has(name) && !scripts.some((text) => text.includes(`"${name}"`)),
    );
    expect(unset.map(({ one }) => `${at(one)} ${one}`)).to.deep.equal([]);
  });

  it("know four widths of a window", () => {
    const widths = new Set<string>();
    for (const root of roots) {
      root.walkAtRules("media", ({ params }) => {
        if (/width/.test(params)) widths.add(params);
      });
    }
    for (const file of globSync("frontend/**/*.{ts,tsx}")) {
      const queries = readFileSync(file, "utf8").matchAll(/matchMedia\("([^"]*width[^"]*)"\)/g);
      for (const [, query = ""] of queries) widths.add(query);
    }
    const allowed = WIDTHS.flatMap((width) => [`(width <= ${width}rem)`, `(width > ${width}rem)`]);
    const between = WIDTHS.flatMap((low) => WIDTHS.map((high) => `(${low}rem < width <= ${high}rem)`));
    expect([...widths].filter((one) => !allowed.includes(one) && !between.includes(one))).to.deep.equal([]);
  });

  it("name no class that no screen has", () => {
    const sources = globSync("frontend/**/*.{ts,tsx,html}").map((file) => readFileSync(file, "utf8"));
    const words = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/"[^"\n]*"|`[^`]*`/g)].flatMap(([one]) => one.match(/[\w/-]+/g) ?? []),
      ),
    );
    const stems = sources.flatMap((text) => [...text.matchAll(/([a-z][\w-]*-)\$\{/g)].map(([, stem = ""]) => stem));
    const classes = new Set(
      rules().flatMap(({ selector }) =>
        [...selector.matchAll(/\.((?:[\w-]|\\.)+)/g)].map(([, one = ""]) => one.replaceAll("\\", "")),
      ),
    );
    const dead = [...classes].filter((one) => !words.has(one) && !stems.some((stem) => one.startsWith(stem)));
    expect(dead).to.deep.equal([]);
  });

  it("have a selector once in a layer, and a body once, under the same condition in whichever sheet", () => {
    const ofPages = rules().filter((one) => one.source?.input.from?.includes("/frontend/design/"));
    const media = (one: Rule) => (condition(one)?.name === "media" ? condition(one)?.params : "");
    const layer = (one: Rule) => one.source?.input.from?.match(/(?:reset|base|helpers)\.css$/)?.[0] ?? "";
    expect(twice(ofPages, (one) => `${layer(one)} ${media(one)}: ${one.selector}`)).to.deep.equal([]);
    const bodyOf = (one: Rule) => one.nodes.filter(({ type }) => type === "decl").map(String);
    const many = ofPages.filter((one) => bodyOf(one).length > 1);
    expect(twice(many, (one) => `${media(one)}: ${bodyOf(one).sort().join("; ")}`)).to.deep.equal([]);
  });

  it("define every helper class that a screen uses", () => {
    const css = globSync("frontend/**/*.css")
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const missing = globSync("frontend/**/*.tsx").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)]
        .flatMap(([, plain, template]) => (plain ?? template ?? "").split(/\s+/))
        .filter((name) => HELPER.test(name) && !css.includes(`.${name.replace("/", "\\/")}`))
        .map((name) => `${file}: ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it("are each imported once: a shopper's by app.css, the panel's by the panel", () => {
    const importsOf = (file: string, pattern: RegExp) =>
      [...readFileSync(file, "utf8").matchAll(pattern)].map((match) => normalize(join(dirname(file), match[1] ?? "")));
    const styles = globSync("frontend/**/*.css", { exclude: ["frontend/{public,extension}/**"] });
    const byStyle = styles.flatMap((file) => importsOf(file, /@import "(\.[^"]+)"/g).map((to) => [to, file]));
    const byModule = globSync("frontend/**/*.{ts,tsx}").flatMap((file) =>
      importsOf(file, /import "(\.[^"]+\.css)"/g).map((to) => [to, file]),
    );
    const own: Record<string, string> = {
      "frontend/design/app.css": "frontend/main.tsx",
      "frontend/design/screens/admin.css": "frontend/admin/panel.tsx",
      "frontend/wallet/consent.css": "frontend/wallet/consent.ts",
    };
    const wanted = styles.map((file) => [file, own[file] ?? "frontend/design/app.css"]);
    expect([...byStyle, ...byModule].sort()).to.deep.equal(wanted.sort());
  });
});
