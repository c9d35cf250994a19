import { expect } from "chai";
import { readEnvironment } from "../../api/environment.ts";
import { listSettings } from "../../api/settings-in-force.ts";
import { SETTING_WORDS } from "../../frontend/admin/settings/setting-words.ts";

describe("The effective configuration, in the panel's words", () => {
  const names = listSettings(readEnvironment({ OPERATOR_PRIVATE_KEY: `0x${"ab".repeat(32)}` }), {}).map(
    ({ name }) => name,
  );

  it("has words for every variable of the api, and for no other", () => {
    expect(Object.keys(SETTING_WORDS).toSorted()).to.deep.equal(names);
  });

  it("says each variable in words of its own", () => {
    expect(new Set(Object.values(SETTING_WORDS)).size).to.equal(names.length);
  });
});
