/** Leaves a test out on a machine that lacks something; `npm test` repeats the line before its last one. */
export function skipWithout(context: Mocha.Context, what: string): never {
  console.log(`skipped: ${context.test?.fullTitle()} (no ${what})`);
  context.skip();
}
