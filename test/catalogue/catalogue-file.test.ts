import { expect } from "chai";
import { CatalogueFileError, readCatalogue } from "../../catalogue/catalogue-file.ts";

/** The files as spreadsheets save them. */
describe("A catalogue as CSV", () => {
  const FILES: Record<string, string> = {
    "with commas":
      "type,store,name,country,category,cashback_percent\nstore,,Arena,Brasil,,\ncashback,Arena,,,Livros,5.75\n",
    "with a byte order mark":
      "\uFEFFtype,store,name,country,category,cashback_percent\r\nstore,,Arena,Brasil,,\r\ncashback,Arena,,,Livros,5.75\r\n",
    "with semicolons":
      "type;store;name;country;category;cashback_percent\nstore;;Arena;Brasil;;\ncashback;Arena;;;Livros;5,75\n",
    "with a first line that names the semicolon":
      "sep=;\r\ntype;store;name;country;category;cashback_percent\r\nstore;;Arena;Brasil;;\r\ncashback;Arena;;;Livros;5,75\r\n",
    "with a byte order mark and a named semicolon":
      "\uFEFFsep=;\r\ntype;store;name;country;category;cashback_percent\r\nstore;;Arena;Brasil;;\r\ncashback;Arena;;;Livros;5,75\r\n",
    "with a named tab":
      "SEP=\t\ntype\tstore\tname\tcountry\tcategory\tcashback_percent\nstore\t\tArena\tBrasil\t\t\ncashback\tArena\t\t\tLivros\t5,75\n",
  };
  for (const [name, text] of Object.entries(FILES)) {
    it(`is read ${name}`, () => {
      const { stores, cashbacks } = readCatalogue("csv", text);
      expect(stores.map((store) => store.name)).to.deep.equal(["Arena"]);
      expect(cashbacks.map((one) => [one.store, one.category, one.cashback_percent])).to.deep.equal([
        ["Arena", "Livros", 575n],
      ]);
    });
  }

  it("is refused where a letter was lost, because the spreadsheet did not save UTF-8", () => {
    const saved = Buffer.from("type;name;country\nstore;Arena;Brasil\nstore;Verdão Store;Brasil\n", "latin1");
    expect(() => readCatalogue("csv", saved.toString("utf8"))).to.throw(CatalogueFileError, /^line 3: .*CSV UTF-8$/);
    expect(() => readCatalogue("json", '[{"type":"store","name":"Verd\uFFFDo"}]')).to.throw(
      CatalogueFileError,
      /UTF-8/,
    );
  });

  it("names the line of a problem as the file has it, also below a named separator", () => {
    expect(() => readCatalogue("csv", "sep=;\ntype;name;country\nstore;Arena;Brasil\nshop;Arena;Brasil\n")).to.throw(
      CatalogueFileError,
      'line 4: type must be store, cashback, boost or fan_token, not "shop"',
    );
  });
});
