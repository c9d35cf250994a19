import { isReadableName } from "./chain-text.ts";

/** Words by which the panel calls the team, the services and the reader, and those that others would use for them. */
const OF_THE_TEAM = new Set(
  `equipe dono dona operacao operador operadora catalogo atendimento auditoria auditor auditora servico servicos sistema
  suporte admin admins adm administrador administradora administracao moderador gerente voce eu oficial
  team staff owner operator catalogue support audit system service services root administrator moderator official you me`.split(
    /\s+/,
  ),
);

/** Cyrillic and Greek letters, those near to them, and figures and signs; and the Latin letters as which they are read. */
const DRAWN =
  "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0455\u0458\u0501\u0578\u0475\u04cf" +
  "\u03b1\u03b2\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u0131\u0251" +
  "01345@$!|";
const READ = "abekmhopctyxisjdnvl" + "abeiknoptuxia" + "oieasasii";
const LOOKS_LIKE = new Map([...DRAWN].map((drawn, index) => [drawn, READ[index]]));

/** Draws nothing, and is not among the characters that no name may have. */
const BLANK_PATTERN = "\u2800";

/** Whether a text shows all that it consists of; an empty one does. */
export function isVisibleName(name: string): boolean {
  return name === "" || (isReadableName(name) && !name.includes(BLANK_PATTERN));
}

/**
 * Whether a name leaves the team's words to the team, in whatever letters they are written.
 * @example
 * // The first letter is Cyrillic.
 * isNobodysRole("Аdmin da loja") // false
 */
export function isNobodysRole(name: string): boolean {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  // As read, and with each letter as it looks: a figure alone stays a figure.
  return [plain, [...plain].map((one) => LOOKS_LIKE.get(one) ?? one).join("")].every((text) =>
    text.split(/[^\p{L}\p{N}]+/u).every((word) => !OF_THE_TEAM.has(word)),
  );
}
