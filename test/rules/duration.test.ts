import { expect } from "chai";
import { durationText, readDuration } from "../../core/rules/duration.ts";

describe("Durations", () => {
  const said: [seconds: number, pt: string, en: string][] = [
    [0, "0 segundos", "0 seconds"],
    [1, "1 segundo", "1 second"],
    [90, "1 minuto e 30 segundos", "1 minute and 30 seconds"],
    [86_400, "1 dia", "1 day"],
    [129_600, "1 dia e 12 horas", "1 day and 12 hours"],
    [2_592_000, "30 dias", "30 days"],
    [90_061, "1 dia, 1 hora, 1 minuto e 1 segundo", "1 day, 1 hour, 1 minute, and 1 second"],
  ];
  for (const [seconds, pt, en] of said) {
    it(`formats ${seconds} seconds, and parses the result`, () => {
      expect([durationText(seconds, "pt"), durationText(seconds, "en")]).to.deep.equal([pt, en]);
      expect([readDuration(pt), readDuration(en)]).to.deep.equal([seconds, seconds]);
    });
  }

  const read: [text: string, seconds: number | undefined][] = [
    ["3 dias", 259_200],
    [" 36H ", 129_600],
    ["1,5 dias", 129_600],
    ["2 semanas", 1_209_600],
    ["1d 12h", 129_600],
    ["45 min", 2_700],
    ["3600", 3_600],
    ["", undefined],
    ["3 dias 12", undefined],
    ["-3 dias", undefined],
    ["3 luas", undefined],
    ["dias", undefined],
    ["0,3 s", undefined],
    ["1e3 dias", undefined],
  ];
  for (const [text, seconds] of read) it(`reads "${text}"`, () => expect(readDuration(text)).to.equal(seconds));
});
