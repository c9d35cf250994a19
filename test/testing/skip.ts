/**
 * Leaves a test, or from a hook all of its `describe`, out on a machine that lacks something; `npm test` repeats the
 * line before its last one.
 */
export function skipWithout(context: Mocha.Context, what: string): never {
  const { test } = context;
  const left = test?.title.startsWith('"before') ? test.parent : test;
  console.log(`skipped: ${left?.fullTitle()} (no ${what})`);
  context.skip();
}
