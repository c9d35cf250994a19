/** One small change of a contract that a test must detect. */
export type Mutant = { file: string; line: number; what: string; source: string };

/** `replace` returns every replacement of one match. */
type Operator = { name: string; pattern: RegExp; replace: (match: RegExpExecArray) => readonly string[] };

/** An assignment or a call on its own line; removing a declaration would not compile. */
const STATEMENT = /^(\s+)(?:[\w.]+(?:\[[^\]]+\])* (?:[-+|]?=) .+|_?[a-z][\w.]*\(.*\));$/gm;

/** Two roles that both contracts have. */
const OTHER_ROLES = ["PAUSER", "DEFAULT_ADMIN"];

/** Every comparison, number, operator, check, guard, statement and event that could be changed by mistake. */
const OPERATORS: readonly Operator[] = [
  { name: "comparison", pattern: / (<=|>=|<|>|==|!=) /g, replace: ([, sign = ""]) => [` ${OTHER_COMPARISON[sign]} `] },
  { name: "check removed", pattern: /if \((.+)\) revert /g, replace: () => ["if (false) revert "] },
  {
    name: "condition negated",
    pattern: /if \((.+)\) (?=\{|return|emit|_)/g,
    replace: ([, test]) => [`if (!(${test})) `],
  },
  { name: "access check removed", pattern: / ?onlyRole\(\w+\)/g, replace: () => [""] },
  { name: "another role", pattern: /onlyRole\((\w+)_ROLE\)/g, replace: ([, role = ""]) => otherRoles(role) },
  { name: "guard removed", pattern: / (whenNotPaused|nonReentrant)\b/g, replace: () => [""] },
  { name: "event removed", pattern: /^(\s*)emit .+;$/gm, replace: ([, indent]) => [`${indent};`] },
  { name: "arguments swapped", pattern: /(?:emit|revert) (\w+)\((.+)\);/g, replace: swapped },
  { name: "statement removed", pattern: STATEMENT, replace: ([, indent]) => [`${indent};`] },
  { name: "sign", pattern: / (\+|-)= /g, replace: ([, sign]) => [` ${sign === "+" ? "-" : "+"}= `, " = "] },
  { name: "truth", pattern: /\b(true|false)\b/g, replace: ([, truth]) => [truth === "true" ? "false" : "true"] },
  {
    name: "operator",
    pattern: / (<<|>>|&&|\|\||[-+*/%&|]) /g,
    replace: ([, sign = ""]) => [` ${OTHER_OPERATOR[sign]} `],
  },
  { name: "number", pattern: /(?<![\w.])(0x[\da-f]+|\d[\d_]*)(?![\w.])/g, replace: ([, n = "0"]) => neighbours(n) },
];

const OTHER_COMPARISON: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

const OTHER_OPERATOR: Record<string, string> = {
  "<<": ">>",
  ">>": "<<",
  "&&": "||",
  "||": "&&",
  "&": "|",
  "|": "&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "/",
};

function otherRoles(role: string): string[] {
  return OTHER_ROLES.filter((one) => one !== role).map((one) => `onlyRole(${one}_ROLE)`);
}

/** Swaps each pair of neighbouring arguments; if their types differ, it does not compile. */
function swapped([text = "", name = "", list = ""]: RegExpExecArray): string[] {
  const args = list.split(/, (?![^(]*\))/);
  const verb = text.slice(0, text.indexOf(" "));
  return args.slice(1).map((_, i) => {
    const other = args.toSpliced(i, 2, args[i + 1] ?? "", args[i] ?? "");
    return `${verb} ${name}(${other.join(", ")});`;
  });
}

function neighbours(number: string): string[] {
  const n = BigInt(number.replaceAll("_", ""));
  return n === 0n ? ["1"] : [`${n + 1n}`, `${n - 1n}`];
}

/** Blanks out strings and comments, so that only code is changed; every character keeps its position. */
function codeOf(source: string): string {
  return source.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/.*$|^pragma .*$|^import .*$/gm, (text) =>
    " ".repeat(text.length),
  );
}

/** Every mutant of a file, in order. Strings and comments are not changed. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const code = codeOf(source);
  for (const { name, pattern, replace } of OPERATORS) {
    for (const match of code.matchAll(pattern)) {
      const line = source.slice(0, match.index).split("\n").length;
      const lineStart = source.lastIndexOf("\n", match.index) + 1;
      if (/^\s*(\/\/|\*|\/\*)/.test(source.slice(lineStart)) || /^\s*for \(/.test(source.slice(lineStart))) continue;
      for (const text of replace(match)) {
        const mutated = source.slice(0, match.index) + text + source.slice(match.index + match[0].length);
        const what = `${name}: ${match[0].trim()} → ${text.trim() || "nothing"}`;
        mutants.push({ file, line, what, source: mutated });
      }
    }
  }
  return mutants.sort((a, b) => a.line - b.line);
}
