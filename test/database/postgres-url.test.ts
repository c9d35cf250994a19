import { expect } from "chai";
import { hostUrls, withoutPassword } from "../../core/database/postgres-url.ts";

describe("A PostgreSQL URL", () => {
  for (const [url, urls] of Object.entries({
    "postgres://one/name": ["postgres://one/name"],
    "postgresql://ana:pass@one:5432,two:5433/name?sslmode=verify-full": [
      "postgresql://ana:pass@one:5432/name?sslmode=verify-full",
      "postgresql://ana:pass@two:5433/name?sslmode=verify-full",
    ],
    "postgres://ana:p%2C%40@[::1]:5432,two/name?target_session_attrs=read-write": [
      "postgres://ana:p%2C%40@[::1]:5432/name",
      "postgres://ana:p%2C%40@two/name",
    ],
    "postgres://one,two/name?target_session_attrs=any&sslmode=require": [
      "postgres://one/name?sslmode=require",
      "postgres://two/name?sslmode=require",
    ],
  })) {
    it(`${url} names ${urls.length} host${urls.length === 1 ? "" : "s"}`, () => {
      expect(hostUrls(url)).to.deep.equal(urls);
    });
  }

  it("is shown without its password", () => {
    expect(withoutPassword("postgres://ana:secret@one:1,two:2/name")).to.equal("postgres://ana@one:1,two:2/name");
    expect(withoutPassword("postgres://one/name")).to.equal("postgres://one/name");
  });
});
