/** The variables of a shell that configures nothing, and those that make Node start faster. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "", NODE_OPTIONS = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, NODE_OPTIONS };
}
