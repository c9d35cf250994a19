import { globSync, readFileSync } from "node:fs";
import { parse } from "@formatjs/icu-messageformat-parser";
import { expect } from "chai";
import { parseSync } from "vite";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";

const read = (file: string) => readFileSync(file, "utf8");
const catalogue = (folder: "" | "panel/", language: string): Record<string, string> =>
  JSON.parse(read(`core/rules/languages/${folder}${language}.json`));

type Node = { type: string; start: number; [field: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** What stands in attributes that nobody reads. */
const CODE_ATTRIBUTES =
  /^(className|type|permission|role|href|to|id|key|lang|name|autoCapitalize|inputMode|rel|target|look|part|accept|data-.*)$/;
/** Where a literal is code: a call's path, a query's key, a selector, an event. */
const CODE = /^(\/api\/|#|\.|\[|[a-z]+, |Arrow|Home$|End$)|^(GET|POST|PUT|DELETE)$/;

/** Words as a person reads them: an accent, a capital with small letters, or two words. */
const isSaid = (text: string): boolean =>
  /\p{L}{2}/u.test(text) && (/[À-ÿ]/.test(text) || /^\s*\p{Lu}\p{Ll}+/u.test(text) || /\p{L}\s+\p{L}/u.test(text));

/** The texts that a file of the panel has in its code. */
function textsIn(file: string): string[] {
  const source = read(file);
  const found: string[] = [];
  const walk = (value: unknown, parent?: Node): void => {
    if (Array.isArray(value)) {
      for (const one of value) walk(one, parent);
      return;
    }
    if (!isNode(value)) return;
    const { type } = value;
    if (/^(Import|TS(Type|Literal|Interface))/.test(type)) return;
    if (type === "JSXAttribute" && isNode(value.name) && CODE_ATTRIBUTES.test(String(value.name.name))) return;
    if (type === "JSXText" && /\p{L}/u.test(String(value.value))) found.push(String(value.value).trim());
    if (type === "Literal" && typeof value.value === "string" && !CODE.test(value.value) && isSaid(value.value))
      found.push(value.value);
    if (type === "TemplateElement" && isNode(parent)) {
      const { cooked } = value.value as { cooked: string };
      if (!CODE.test(cooked) && isSaid(cooked)) found.push(cooked);
    }
    for (const [field, child] of Object.entries(value)) if (field !== "type") walk(child, value);
  };
  walk(parseSync(file, source).program);
  return found.map((text) => `${file}: ${text}`);
}

/** What the code says in English to programs, or by names of its own. */
const NOT_SAID = [
  /admin-calls\.ts: Failed to /,
  /sales-view\.tsx: The sale has changed$/,
  /decision-dialog\.tsx: PartlyDone$/,
  /log-words\.ts: An administrator stopped payments$/,
  /chain-acts\.ts: Deployed$/,
  /purchase-sheet\.tsx: PurchaseMinted$/,
  /: (\w+View|\w+Tab|Overview)$/,
  /: button( button-[a-z]+)+$/,
  /: day-bar day-bar-marked$/,
  /claim-dialogs\.tsx: claim picture$/,
  /confirm-dialog\.tsx: main h1$/,
  /: (fan token|category|store|of store|decision|purchase|sale) ?$/,
  /: facts consequences$|: (facts|wide|narrow|sheet)$/,
];

describe("The panel's texts", () => {
  const pt = catalogue("panel/", "pt");

  it("stand in the catalogues, and none in the code", () => {
    const found = globSync("frontend/admin/**/*.{ts,tsx}").flatMap(textsIn);
    expect(found.filter((one) => !NOT_SAID.some((known) => known.test(one)))).to.deep.equal([]);
  });

  for (const language of LANGUAGE_NAMES)
    it(`are complete in "${language}", with the same values, and none is empty`, () => {
      const texts = catalogue("panel/", language);
      expect(Object.keys(texts)).to.deep.equal(Object.keys(pt).toSorted());
      for (const [id, text] of Object.entries(pt)) {
        expect(texts[id]?.trim(), id).to.not.equal("");
        expect(valuesOf(texts[id] ?? ""), id).to.deep.equal(valuesOf(text));
      }
    });

  it("are all used", () => {
    const source = globSync("frontend/admin/**/*.{ts,tsx}").map(read).join("\n");
    const calls = [...source.matchAll(/\b(?:textOf|wordsOf|heardText|fieldIn)\(([^;]*?)\)/g)].map(
      ([, given]) => given ?? "",
    );
    const checked = [...source.matchAll(/\? ("[\w.]+") : never/g)].map(([, family]) => family ?? "");
    const families = [...calls, ...checked]
      .flatMap((code) => [...code.matchAll(/"([\w.-]+)"/g)])
      .map(([, name]) => `${name}.`);
    const templates = [...source.matchAll(/`((?:[\w-]+\.)+)\$\{[^}]*\}(\.\w+)?`/g)].map(([, prefix]) => prefix ?? "");
    const used = new Set([...families, ...templates]);
    const unused = Object.keys(pt).filter(
      (id) => !source.includes(`"${id}"`) && !prefixesOf(id).some((prefix) => used.has(prefix)),
    );
    expect(unused).to.deep.equal([]);
  });
});

/** "a." and "a.b." of "a.b.c" */
const prefixesOf = (id: string): string[] =>
  id
    .split(".")
    .slice(0, -1)
    .map((_, index, parts) => `${parts.slice(0, index + 1).join(".")}.`);

/** What a text is told, and the marks in it. */
function valuesOf(text: string): string[] {
  const found = new Set<string>();
  JSON.stringify(parse(text), (_, element: unknown) => {
    // 0 is a plain piece, 7 the number of a plural: neither has a name of its own.
    if (isElement(element) && element.type !== 0 && element.type !== 7) found.add(element.value);
    return element;
  });
  return [...found].toSorted();
}

const isElement = (value: unknown): value is { type: number; value: string } =>
  typeof value === "object" && value !== null && "type" in value && "value" in value;

/** As it was said once, and frightened, or sounded translated. */
const GONE = [
  ...["Compras a caminho", "que você reclamou", "nossos livros", "Precisa de alguém", "Vá à primeira loja"],
  ...["Idas às lojas", "Valor nos dias dos pagamentos", "pagamento(s)", "o papel que o contrato exige"],
  ...["fundo o bastante", "Passa do que resta", "Salto máximo", "O pedido não saiu como deveria"],
  ...["espera o seu saque", "Já pago na rede", "repasse", "Emissor de transações", "Muitas lojas"],
  ...["Você já reclamou deste pedido", "pode reclamar a partir de", "Esta ida à loja", "a menos do que a conta"],
  ...["você não recebe nenhum.", "2% a mais", "Nada sai da sua carteira", "Carteira não encontrada"],
  ...["é preciso uma carteira no navegador:", "e nenhuma se perde", "Seus acessos", "os outros acessos"],
  ...["mudou destaque", "Isto decidiria um pagamento", "o que nenhum grupo nomeia", ", retirada"],
  ...[
    "Purchases on their way",
    "our books",
    "payment(s)",
    "Your sessions",
    "Paid on chain",
    "did not go out as it should",
  ],
];

describe("Texts that were mended", () => {
  it("are gone from both catalogues", () => {
    const said = (["", "panel/"] as const).flatMap((folder) =>
      LANGUAGE_NAMES.flatMap((language) =>
        Object.entries(catalogue(folder, language)).flatMap(([id, text]) =>
          GONE.filter((old) => text.includes(old)).map((old) => `${folder}${language} ${id}: ${old}`),
        ),
      ),
    );
    expect(said).to.deep.equal([]);
  });
});
