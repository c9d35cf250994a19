import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** React, which chooses when it is first loaded: as in a build, twice as fast. Import this before what loads it. */
const { NODE_ENV } = process.env;
process.env.NODE_ENV = "production";
// Which only the one for development has: another test's modules came first, and the parts must fit.
const isForDevelopment = "captureOwnerStack" in require("react");
if (!isForDevelopment) require("react/jsx-runtime");
restore();

/** With a document: it looks once for what that can do. */
export function loadReactDom(): void {
  if (!isForDevelopment) process.env.NODE_ENV = "production";
  require("react-dom/client");
  restore();
}

function restore(): void {
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
}
