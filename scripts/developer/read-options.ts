import { type ParseArgsConfig, parseArgs } from "node:util";
import { codeOf, messageOf } from "../../core/rules/unknown-error.ts";

/** The options of a developer's command; one that it does not take ends it with a sentence that names those it takes. */
export function readOptions<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!codeOf(error)?.startsWith("ERR_PARSE_ARGS")) throw error;
    const names = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    // After its first sentence, Node.js tells of a notation that nobody meant.
    refuseOptions(`${messageOf(error).split(". ")[0]}; its options are ${names.join(", ")}`);
  }
}

/** Ends the process, as a shell's own commands do, before it has begun anything. */
export function refuseOptions(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/** The number that was given for an option, or else `usual`; a word or one below `least` ends the process. */
export function numberOption(
  values: Readonly<Record<string, unknown>>,
  name: string,
  usual: number,
  { least = 1, isWhole = true }: { least?: number; isWhole?: boolean } = {},
): number {
  const given = values[name];
  const value = given === undefined ? usual : Number(given === "" ? Number.NaN : given);
  if (given !== undefined && !(value >= least && (!isWhole || Number.isInteger(value))))
    refuseOptions(`--${name} must be a ${isWhole ? "whole " : ""}number from ${least} on, not "${given}"`);
  return value;
}

/** What was given for an option that takes only these, or else all of them. */
export function choicesOption<Choice extends string>(
  given: readonly string[] | undefined,
  name: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const unknown = given?.find((one) => !choices.some((choice) => choice === one));
  if (unknown !== undefined) refuseOptions(`--${name} must be one of ${choices.join(", ")}, not "${unknown}"`);
  return choices.filter((one) => given === undefined || given.includes(one));
}
