import { expect } from "chai";
import { CatalogueFileError, readCatalogue, writeCatalogue } from "../../core/catalogue/catalogue-file.ts";
import { fileText } from "../../core/rules/spreadsheet.ts";

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
    "without the empty cells at the end of a row":
      "type;cashback_percent;store;category;name;country;description\nstore;;;;Arena;Brasil\ncashback;5,75;Arena;Livros\n",
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

  it("is refused in one sentence where it has more rows than a catalogue, as CSV and as JSON", () => {
    const long = { csv: `type,name${"\na".repeat(100_000)}`, json: `[${"1,".repeat(100_000)}1]` } as const;
    for (const format of ["csv", "json"] as const)
      expect(() => readCatalogue(format, long[format])).to.throw(
        CatalogueFileError,
        /^The file has more than 100000 rows: import it in parts$/,
      );
  });

  it("is written as a spreadsheet in Brazil or an English one opens it, and read again", () => {
    const rows = [
      { type: "store", name: "=Verdão; Loja, +1", country: "Brasil", featured: true, description: 'a "b",\n\'=c' },
      { type: "cashback", store: "=Verdão; Loja, +1", category: "@Livros", cashback_percent: "5.75", is_default: true },
    ];
    const brazilian = writeCatalogue("csv", rows, "pt");
    expect(brazilian)
      .to.match(/^\uFEFF"type";"store";/)
      .and.include('"5,75"');
    expect(writeCatalogue("csv", rows, "en"))
      .to.match(/^\uFEFF"type","store",/)
      .and.include('"5.75"');
    const inJson = readCatalogue("json", writeCatalogue("json", rows, "pt"));
    for (const language of ["pt", "en"] as const) {
      const read = readCatalogue("csv", writeCatalogue("csv", rows, language));
      const placeless = (one: object) => ({ ...one, place: "" });
      expect(read.stores).to.deep.equal(inJson.stores);
      expect(read.cashbacks.map(placeless)).to.deep.equal(inJson.cashbacks.map(placeless));
    }
  });

  it("is refused where a letter was lost, because the spreadsheet did not save UTF-8", () => {
    const saved = Buffer.from("type;name;country\nstore;Arena;Brasil\nstore;Verdão Store;Brasil\n", "latin1");
    expect(() => readCatalogue("csv", saved.toString("utf8"))).to.throw(CatalogueFileError, /^line 3: .*CSV UTF-8$/);
    expect(() => readCatalogue("json", '[{"type":"store","name":"Verd\uFFFDo"}]')).to.throw(
      CatalogueFileError,
      /UTF-8/,
    );
  });

  it("is read as spreadsheets save it: UTF-16 with tabs, and flags in their language", () => {
    const rows = [
      ["type", "name", "country", "featured", "store", "category", "cashback_percent", "is_default"],
      ["store", "Ação", "Brasil", "VERDADEIRO"],
      ["cashback", "", "", "", "Ação", "Tudo", "7,5", "FALSE"],
    ];
    const text = rows.map((row) => row.join("\t")).join("\r\n");
    const little = Buffer.from(`\ufeff${text}`, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(`\ufeff${text}`)]) {
      const { stores, cashbacks } = readCatalogue("csv", fileText(bytes));
      expect(stores[0]).to.deep.include({ name: "Ação", featured: true });
      expect(cashbacks[0]).to.deep.include({ store: "Ação", cashback_percent: 750n, is_default: false });
    }
  });

  it("refuses a character that PostgreSQL does not store, with its row", () => {
    const club = {
      type: "club",
      slug: "remo",
      name: "Remo",
      colours: "#002e6d #ffffff",
      pattern: "plain",
      country: "BR",
    };
    const store = { type: "store", name: "Arena", country: "Brasil" };
    for (const [field, row] of [
      ["name", { ...club, name: "Re\0mo" }],
      ["aliases", { ...club, aliases: ["Leão", "Le\0ão"] }],
      ["description", { ...store, description: "\0" }],
    ] as const)
      expect(() => readCatalogue("json", JSON.stringify([row])), field).to.throw(
        CatalogueFileError,
        `row 1: ${field} must not contain control characters`,
      );
  });

  it("names the line of a problem as the file has it, also below a named separator", () => {
    expect(() => readCatalogue("csv", "sep=;\ntype;name;country\nstore;Arena;Brasil\nshop;Arena;Brasil\n")).to.throw(
      CatalogueFileError,
      'line 4: type must be store, cashback, boost, offer, fan_token or club, not "shop"',
    );
  });
});
