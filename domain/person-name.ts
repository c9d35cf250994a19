import { isReadableName } from "./chain-text.ts";

/** Words by which the panel calls the team, the services and the reader, and those that others would use for them. */
const OF_THE_TEAM = new Set(
  `equipe dono dona operacao operador operadora catalogo atendimento auditoria auditor auditora servico servicos sistema
  suporte admin admins adm administrador administradora administracao moderador gerente voce eu oficial
  team staff owner operator catalogue support audit system service services root administrator moderator official you me`.split(
    /\s+/,
  ),
);

/** Letters of other alphabets and figures that are drawn like a Latin letter. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  ...{ а: "a", в: "b", е: "e", к: "k", м: "m", н: "h", о: "o", р: "p", с: "c", т: "t", у: "y", х: "x" },
  ...{ і: "i", ѕ: "s", ј: "j", ԁ: "d", ո: "n", ѵ: "v", ӏ: "l" },
  ...{ α: "a", β: "b", ε: "e", ι: "i", κ: "k", ν: "v", ο: "o", ρ: "p", τ: "t", υ: "u", χ: "x", ı: "i", ɑ: "a" },
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "@": "a", $: "s", "!": "i", "|": "i" },
};

/** Draws nothing, and is not among the characters that no name may have. */
const BLANK_PATTERN = "\u2800";

/** Whether a text shows all that it consists of; an empty one does. */
export function isVisibleName(name: string): boolean {
  return name === "" || (isReadableName(name) && !name.includes(BLANK_PATTERN));
}

/**
 * Whether a name leaves the team's words to the team, in whatever letters they are written.
 * @example
 * isNobodysRole("Аdmin da loja") // false: with a Cyrillic А
 */
export function isNobodysRole(name: string): boolean {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  // As read, and with each letter as it looks: a figure alone stays a figure.
  return [plain, [...plain].map((one) => LOOKS_LIKE[one] ?? one).join("")].every((text) =>
    text.split(/[^\p{L}\p{N}]+/u).every((word) => !OF_THE_TEAM.has(word)),
  );
}
