/** One small change of a contract that a test must detect. */
export type Mutant = { file: string; line: number; what: string; source: string };

type Operator = { name: string; pattern: RegExp; replace: (match: RegExpExecArray) => string };

/** Every comparison, number, operator, check, guard and event that could be changed by mistake. */
const OPERATORS: readonly Operator[] = [
  { name: "comparison", pattern: / (<=|>=|<|>|==|!=) /g, replace: ([, sign = ""]) => ` ${OTHER_COMPARISON[sign]} ` },
  { name: "check removed", pattern: /if \((.+)\) revert /g, replace: () => "if (false) revert " },
  { name: "access check removed", pattern: / ?onlyRole\(\w+\)/g, replace: () => "" },
  { name: "guard removed", pattern: / (whenNotPaused|nonReentrant)\b/g, replace: () => "" },
  { name: "event removed", pattern: /^(\s*)emit .+;$/gm, replace: ([, indent]) => `${indent};` },
  { name: "sign", pattern: / (\+|-)= /g, replace: ([, sign]) => ` ${sign === "+" ? "-" : "+"}= ` },
  {
    name: "operator",
    pattern: / (<<|>>|&&|\|\||[-+*/%&|]) /g,
    replace: ([, sign = ""]) => ` ${OTHER_OPERATOR[sign]} `,
  },
  { name: "number", pattern: /(?<![\w.])(0x[\da-f]+|\d[\d_]*)(?![\w.])/g, replace: ([, n = "0"]) => `${another(n)}` },
];

const OTHER_COMPARISON: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

const OTHER_OPERATOR: Record<string, string> = {
  ...{ "<<": ">>", ">>": "<<", "&&": "||", "||": "&&", "&": "|", "|": "&" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "/" },
};

function another(number: string): bigint {
  return BigInt(number.replaceAll("_", "")) + 1n;
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
      const text = replace(match as RegExpExecArray);
      const line = source.slice(0, match.index).split("\n").length;
      const lineStart = source.lastIndexOf("\n", match.index) + 1;
      if (/^\s*(\/\/|\*|\/\*)/.test(source.slice(lineStart)) || /^\s*for \(/.test(source.slice(lineStart))) continue;
      const mutated = source.slice(0, match.index) + text + source.slice(match.index + match[0].length);
      mutants.push({ file, line, what: `${name}: ${match[0].trim()} → ${text.trim() || "nothing"}`, source: mutated });
    }
  }
  return mutants.sort((a, b) => a.line - b.line);
}
