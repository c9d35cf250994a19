import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** A browser's own messages about a field are in the browser's language, not in that of the page. */
describe("Forms", () => {
  const files = globSync("frontend/**/*.{ts,tsx}").map((file) => ({ file, source: readFileSync(file, "utf8") }));

  it("leave no message about a field to the browser, whose language may be another", () => {
    const forms = files.flatMap(({ file, source }) =>
      [...source.matchAll(/<form\b(?:=>|[^>])*>/g)].map(([form]) => ({ file, form })),
    );
    expect(forms).to.have.length.above(5);
    const speaking = forms.filter(({ form }) => !/\bnoValidate\b/.test(form)).map(({ file }) => file);
    const asking = files.filter(({ source }) =>
      /\b(reportValidity|setCustomValidity|validationMessage)\b/.test(source),
    );
    expect([...speaking, ...asking.map(({ file }) => file)]).to.deep.equal([]);
  });
});
