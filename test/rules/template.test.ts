import { expect } from "chai";
import { fill, templateOf } from "../../core/rules/template.ts";
import { jsonForHtml } from "../../core/rules/text.ts";

describe("A template", () => {
  const template = templateOf('<p lang="{{language}}">{{name}}</p>{{more}}');

  it("is filled at its named places, with text that is escaped and HTML that is not", () => {
    const filled = fill(template, { language: '"pt', name: "<b>", more: { html: "<hr>" } });
    expect(filled).to.equal('<p lang="&#34;pt">&#60;b&#62;</p><hr>');
  });

  it("takes what fills it as it is, even if it looks like a place", () => {
    expect(fill(template, { language: "pt", name: "{{more}}", more: "" })).to.equal('<p lang="pt">{{more}}</p>');
  });

  it("is refused where a place is not filled, or has no end", () => {
    expect(() => fill(template, { language: "pt", name: "a" })).to.throw("Nothing fills the place more");
    for (const broken of ["a {{b", "a }} b", "a {{b}} c }} d", "{{a {{b}}"])
      expect(() => templateOf(broken), broken).to.throw("without its end");
  });

  it("takes JSON in which no text can end the script element that has it", () => {
    const json = jsonForHtml({ name: "</script><!-- <b>" });
    expect(json).to.not.include("<");
    expect(JSON.parse(json)).to.deep.equal({ name: "</script><!-- <b>" });
  });

  it("is any text without places too", () => {
    expect(fill(templateOf("plain"), {})).to.equal("plain");
  });
});
