import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonMeter } from '../../../src/registry/formats/json-meter.ts';

/** The number of commas and opening brackets of `text` outside strings, counted by character. */
function count(text: string): number {
  let tokens = 0;
  let isInString = false;
  let isEscaped = false;
  for (const character of text) {
    if (isInString) {
      if (!isEscaped && character === '"') isInString = false;
      isEscaped = !isEscaped && character === '\\';
    } else if (character === '"') isInString = true;
    else if (',[{'.includes(character)) tokens++;
  }
  return tokens;
}

/** Whether a meter that allows `most` accepts `text` in chunks of the given lengths. */
function accepts(text: string, most: number, lengths: readonly number[]): boolean {
  const meter = jsonMeter(most);
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    for (const length of [...lengths, bytes.length]) {
      meter.feed(bytes.subarray(at, at + length));
      at += length;
    }
    return true;
  } catch {
    return false;
  }
}

it('counts tokens outside strings, however the text is split into chunks', () => {
  const text = fc
    .array(fc.constantFrom('"', '\\', ',', '[', '{', 'a'), { maxLength: 30 })
    .map((list) => list.join(''));
  const lengths = fc.array(fc.nat({ max: 5 }), { maxLength: 10 });
  fc.assert(
    fc.property(text, lengths, (json, chunks) => {
      const tokens = count(json);
      expect([accepts(json, tokens, chunks), accepts(json, tokens - 1, chunks)]).toEqual([
        true,
        false,
      ]);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['nothing', '', false],
  ['a value', 'null', false],
  ['an object', '{"a":[1,2]}', false],
  ['half an object', '{"a":[1,2]', true],
  ['half a string', '"a', true],
  ['half an escape', String.raw`"a\"`, true],
])('%s is cut short: %s', (_, text, expected) => {
  const meter = jsonMeter(10);
  meter.feed(Buffer.from(text));
  expect(meter.isCutShort()).toBe(expected);
});
