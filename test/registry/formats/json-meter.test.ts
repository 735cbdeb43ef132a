import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonMeter } from '../../../src/registry/formats/json-meter.ts';

/** The commas and opening brackets of `text` outside of its texts, one character at a time. */
function count(text: string): number {
  let tokens = 0;
  let isInText = false;
  let isEscaped = false;
  for (const character of text) {
    if (isInText) {
      if (!isEscaped && character === '"') isInText = false;
      isEscaped = !isEscaped && character === '\\';
    } else if (character === '"') isInText = true;
    else if (',[{'.includes(character)) tokens++;
  }
  return tokens;
}

/** Whether a meter that allows `most` takes `text`, in pieces of the lengths that are given. */
function takes(text: string, most: number, lengths: readonly number[]): boolean {
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

it('counts what is outside of texts, in whatever pieces it comes', () => {
  const text = fc
    .array(fc.constantFrom('"', '\\', ',', '[', '{', 'a'), { maxLength: 30 })
    .map((list) => list.join(''));
  const lengths = fc.array(fc.nat({ max: 5 }), { maxLength: 10 });
  fc.assert(
    fc.property(text, lengths, (json, pieces) => {
      const tokens = count(json);
      expect([takes(json, tokens, pieces), takes(json, tokens - 1, pieces)]).toEqual([true, false]);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['nothing', '', false],
  ['a value', 'null', false],
  ['an object', '{"a":[1,2]}', false],
  ['half an object', '{"a":[1,2]', true],
  ['half a text', '"a', true],
  ['half an escape', String.raw`"a\"`, true],
])('%s is cut short: %s', (_, text, expected) => {
  const meter = jsonMeter(10);
  meter.feed(Buffer.from(text));
  expect(meter.isCutShort()).toBe(expected);
});
