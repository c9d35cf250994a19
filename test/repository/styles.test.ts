import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect } from "chai";
import postcss, { type AtRule, type Declaration, type Rule } from "postcss";

/** A length that is not measured by a window, a container or a fraction: it stands in `design/tokens.css`, or nowhere. */
const LENGTH = /(?<![\w.-])-?(?:\d*\.)?\d+(?:rem|em|px|pt|ch)\b/;
const SIZE = /^font(?:-size)?$|^--largest$/;
const SPACING = /^(?:margin|padding)(?:-.+)?$|^(?:row-|column-)?gap$|^--pad$|^--step$/;
const WIDTHS = [20, 34, 44, 62];
const MOST_SIZES = 10;
/** The classes that are no module's, by their sheet, and why: any other stands beside its component. */
const GLOBAL_CLASSES = {
  // Words of every page and of the plain dialog of `wallet/consent.ts`: buttons, fields, dialogs, small marks.
  "frontend/design/controls.css": `
    action-row badge badge-bonus badge-boost busy button button-chalk button-danger button-quiet button-signal
    button-small buttons card card-body check chip chips declined dialog dialog-actions dialog-backdrop
    dialog-body dialog-head dialog-note dialog-wide field field-hint field-problem figures file-button hint
    icon-button initial initial-tone-1 initial-tone-2 initial-tone-3 initial-tone-4 link logo-image muted option
    option-initial pairing problem qr-code sheet skeleton small-title spinner success tab tabs token-image
    tooltip-button tooltip-layer tooltip-text wallet-none wallet-none-title`,
  // Words of every table and of every list of facts.
  "frontend/design/tables.css": "facts numeric table-wrap",
  // The stamps of `ui/ticket.tsx`, tear lines, and the panels of `ui/state-panel.tsx`.
  "frontend/design/ticket.css": `
    blank-ticket display-number perforation stamp stamp-cancelled stamp-confirmed stamp-pending
    stamp-processing stamp-returned state-panel state-title torn-mark torn-ticket`,
  // The frame of every page, which stands before any script, and the type of its headings.
  "frontend/design/layout.css": `
    account-menu address-head address-tools admin-link admin-links club-button club-button-word consent
    first-paint lead logo logo-letter notice notice-count page page-loading page-title
    section-actions section-head section-title site-actions site-footer site-footer-inner site-header
    site-header-inner site-nav skip-link step-number steps two-columns wide-only`,
  // What several screens write out, and no component of `ui/` draws: each of them in two files or more.
  "frontend/design/parts.css": `
    card-title example hero-title look-switch plain-list rates stat stat-note stat-number store-grid subtitle tags`,
  // One declaration each, in the last layer.
  "frontend/design/helpers.css": `
    block dotted flex flex-wrap font-semibold gap-2 gap-3 gap-4 gap-5 gap-6 grid h-12 h-14 h-16 h-24 h-32 h-48
    h-56 h-6 h-64 justify-center max-w-md max-w-xs mb-3 mb-4 mt-2 mt-3 mt-4 mt-auto space-y-2 sr-only
    text-center text-sm w-2/3 w-full`,
  // Above every layer: where toasts lie.
  "frontend/design/last-word.css": "toast-layer",
  // Plain DOM that is no part of the app.
  "frontend/wallet/consent.css": "wallet-request",
} as const satisfies Record<string, string>;
/** Those that have no class. */
const CLASSLESS = ["app", "base", "reset", "tokens"].map((one) => `frontend/design/${one}.css`);

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

const fileOf = (one: Rule) => relative(process.cwd(), one.source?.input.from ?? "");
const isOfModule = (one: Rule) => fileOf(one).endsWith(".module.css");
/** The cascade layer that a module's rule stands in. */
function layerOf(one: Rule): string | undefined {
  let { parent } = one as { parent: Rule["parent"] };
  while (parent && !(parent.type === "atrule" && (parent as AtRule).name === "layer"))
    parent = parent.parent as Rule["parent"];
  return (parent as AtRule | undefined)?.params;
}

const namesIn = (selector: string) =>
  [...selector.matchAll(/\.((?:[a-z_]|\\.)(?:[\w-]|\\.)*)/gi)].map(([, one = ""]) => one.replaceAll("\\", ""));
const GLOBAL = /:global\(([^)]*)\)/g;
const ownClasses = ({ selector }: Rule) => namesIn(selector.replaceAll(GLOBAL, ""));
const globalClasses = ({ selector }: Rule) => [...selector.matchAll(GLOBAL)].flatMap(([, one = ""]) => namesIn(one));
/** The classes of the sheets that are no modules. */
const sharedClasses = () =>
  new Set(
    rules()
      .filter((one) => !isOfModule(one))
      .flatMap(ownClasses),
  );

/** The classes that a component writes out. */
const writtenIn = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)]
    .flatMap(([, plain, template]) => (plain ?? template ?? "").replaceAll(/[\w-]*\$\{[^}]*\}/g, "").split(/\s+/))
    .filter((name) => name !== "");

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

  it("are global only as this test lists them: every other class is a module's", () => {
    const sheets = globSync("frontend/**/*.css", {
      exclude: ["frontend/{public,extension}/**", "**/*.module.css", ...CLASSLESS],
    });
    const wordsOf = (classes: string) => classes.trim().split(/\s+/);
    const listed = Object.values(GLOBAL_CLASSES).flatMap(wordsOf);
    expect([...sharedClasses()].sort()).to.deep.equal(listed.sort());
    const without = sheets.filter((file) => !(file in GLOBAL_CLASSES));
    expect(without, "a sheet that is neither a module nor listed").to.deep.equal([]);
    const written = globSync("frontend/**/*.tsx").map((file) => new Set(writtenIn(file)));
    const shared = wordsOf(GLOBAL_CLASSES["frontend/design/parts.css"]);
    const ofOne = shared.filter((name) => written.filter((names) => names.has(name)).length < 2);
    expect(ofOne, "of one component alone").to.deep.equal([]);
  });

  it("name no class that no screen has", () => {
    const sources = globSync("frontend/**/*.{ts,tsx,html}").map((file) => readFileSync(file, "utf8"));
    const words = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/"[^"\n]*"|`[^`]*`/g)].flatMap(([one]) => one.match(/[\w/-]+/g) ?? []),
      ),
    );
    const stems = sources.flatMap((text) => [...text.matchAll(/([a-z][\w-]*-)\$\{/g)].map(([, stem = ""]) => stem));
    const dead = [...sharedClasses()].filter((one) => !words.has(one) && !stems.some((stem) => one.startsWith(stem)));
    expect(dead).to.deep.equal([]);
  });

  it("of a module are what its components use, by name", () => {
    const used = new Map<string, Set<string>>();
    for (const file of globSync("frontend/**/*.{ts,tsx}")) {
      const text = readFileSync(file, "utf8");
      for (const [, name, path = ""] of text.matchAll(/^import (\w+) from "([^"]+\.module\.css)";$/gm)) {
        const module = normalize(join(dirname(file), path));
        const words = [...text.matchAll(new RegExp(`(?<![\\w.])${name}(?:\\.(\\w+)|\\[)`, "g"))].map(
          ([, one]) => one ?? "[",
        );
        used.set(module, new Set([...(used.get(module) ?? []), ...words]));
      }
    }
    const named = new Map<string, Set<string>>(globSync("frontend/**/*.module.css").map((file) => [file, new Set()]));
    for (const one of rules().filter(isOfModule)) {
      for (const name of ownClasses(one)) named.get(fileOf(one))?.add(name);
    }
    const sorted = (all: Map<string, Set<string>>) =>
      [...all].map(([file, names]) => `${file}: ${[...names].sort()}`).sort();
    expect(sorted(used)).to.deep.equal(sorted(named));
    const wrong = [...named].flatMap(([file, names]) =>
      [...names].filter((one) => !/^[a-z][a-zA-Z0-9]*$/.test(one)).map((one) => `${file}: ${one}`),
    );
    expect(wrong, "not in camel case").to.deep.equal([]);
  });

  it("of a module stand in its layer, and lean on no class that the shared sheets do not have", () => {
    const loose = rules().filter(
      (one) => isOfModule(one) && layerOf(one) !== (fileOf(one).startsWith("frontend/ui/") ? "components" : "screens"),
    );
    expect(loose.map(at)).to.deep.equal([]);
    const shared = sharedClasses();
    const unknown = rules()
      .filter(isOfModule)
      .flatMap((one) =>
        globalClasses(one)
          .filter((name) => !shared.has(name))
          .map((name) => `${at(one)} ${name}`),
      );
    expect(unknown).to.deep.equal([]);
  });

  it("of a module move by keyframes of the module: a build renames both", () => {
    const missing = roots
      .filter(({ source }) => source?.input.from?.endsWith(".module.css"))
      .flatMap((root) => {
        const own = new Set<string>(["none"]);
        root.walkAtRules("keyframes", ({ params }) => void own.add(params));
        const found: string[] = [];
        root.walkDecls(/^animation(-name)?$/, (one) => {
          if (!one.value.split(/[\s,]+/).some((word) => own.has(word))) found.push(`${at(one)} ${one}`);
        });
        return found;
      });
    expect(missing).to.deep.equal([]);
  });

  it("have a selector once in a layer, and a body once, under the same condition in whichever sheet", () => {
    const ofPages = rules().filter((one) => isOfModule(one) || fileOf(one).startsWith("frontend/design/"));
    const media = (one: Rule) => (condition(one)?.name === "media" ? condition(one)?.params : "");
    const sheet = (one: Rule) =>
      isOfModule(one) ? fileOf(one) : (fileOf(one).match(/(?:reset|base|helpers)\.css$/)?.[0] ?? "");
    expect(twice(ofPages, (one) => `${sheet(one)} ${media(one)}: ${one.selector}`)).to.deep.equal([]);
    const bodyOf = (one: Rule) => one.nodes.filter(({ type }) => type === "decl").map(String);
    const many = ofPages.filter((one) => bodyOf(one).length > 1);
    expect(
      twice(many, (one) => `${isOfModule(one) ? fileOf(one) : ""} ${media(one)}: ${bodyOf(one).sort().join("; ")}`),
    ).to.deep.equal([]);
  });

  it("define every class that a screen writes out", () => {
    const shared = sharedClasses();
    const missing = globSync("frontend/**/*.tsx").flatMap((file) =>
      writtenIn(file)
        .filter((name) => !shared.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it("are each imported once", () => {
    const importsOf = (file: string, pattern: RegExp) =>
      [...readFileSync(file, "utf8").matchAll(pattern)].map((match) => normalize(join(dirname(file), match[1] ?? "")));
    const styles = globSync("frontend/**/*.css", { exclude: ["frontend/{public,extension}/**", "**/*.module.css"] });
    const byStyle = styles.flatMap((file) => importsOf(file, /@import "(\.[^"]+)"/g).map((to) => [to, file]));
    const byModule = globSync("frontend/**/*.{ts,tsx}").flatMap((file) =>
      importsOf(file, /import "(\.[^"]+\.css)"/g).map((to) => [to, file]),
    );
    const own: Record<string, string> = {
      "frontend/design/app.css": "frontend/main.tsx",
      "frontend/wallet/consent.css": "frontend/wallet/consent.ts",
    };
    const wanted = styles.map((file) => [file, own[file] ?? "frontend/design/app.css"]);
    expect([...byStyle, ...byModule].sort()).to.deep.equal(wanted.sort());
  });
});
