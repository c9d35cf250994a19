/** One small change of a contract that some test must notice. */
export type Mutant = { file: string; line: number; what: string; source: string };

type Operator = { name: string; pattern: RegExp; replace: (match: RegExpExecArray) => string };

/** Each comparison, constant, check, guard and event; what a reader would change by mistake. */
const OPERATORS: readonly Operator[] = [
  { name: "comparison", pattern: / (<=|>=|<|>|==|!=) /g, replace: ([, sign = ""]) => ` ${OTHER_COMPARISON[sign]} ` },
  {
    name: "constant",
    pattern: /(constant [A-Z_]+ = )([\d_]+);/g,
    replace: ([, head, n = "0"]) => `${head}${BigInt(n.replaceAll("_", "")) + 1n};`,
  },
  { name: "check removed", pattern: /if \((.+)\) revert /g, replace: () => "if (false) revert " },
  { name: "access check removed", pattern: / ?onlyRole\(\w+\)/g, replace: () => "" },
  { name: "guard removed", pattern: / (whenNotPaused|nonReentrant)\b/g, replace: () => "" },
  { name: "event removed", pattern: /^(\s*)emit .+;$/gm, replace: ([, indent]) => `${indent};` },
  { name: "sign", pattern: / (\+|-)= /g, replace: ([, sign]) => ` ${sign === "+" ? "-" : "+"}= ` },
];

const OTHER_COMPARISON: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" };

/** Every mutant of a file, in the file's order. Comments are left alone. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  for (const { name, pattern, replace } of OPERATORS) {
    for (const match of source.matchAll(pattern)) {
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
