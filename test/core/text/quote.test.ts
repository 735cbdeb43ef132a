import { describe, expect, it } from 'vitest';
import { escapeUnprintable, escapeUnprintableInJson, quote } from '../../../src/core/text/quote.ts';

const HOSTILE = [
  ['an escape sequence', '\u001b[2Jx', String.raw`\u{1b}[2Jx`, String.raw`\u001b[2Jx`],
  [
    'OSC 52, which writes the clipboard',
    '\u001b]52;c;eA==\u0007',
    String.raw`\u{1b}]52;c;eA==\u{7}`,
    String.raw`\u001b]52;c;eA==\u0007`,
  ],
  ['a forged log line', 'a\r\nb', String.raw`a\u{d}\u{a}b`, String.raw`a\r\nb`],
  ['C1 controls', '\u009b2J\u0085', String.raw`\u{9b}2J\u{85}`, String.raw`\u009b2J\u0085`],
  [
    'a bidirectional override',
    'a\u202eb\u2066c',
    String.raw`a\u{202e}b\u{2066}c`,
    String.raw`a\u202eb\u2066c`,
  ],
  ['a zero-width space', 'a\u200bb', String.raw`a\u{200b}b`, String.raw`a\u200bb`],
  ['line separators', '\u2028\u2029', String.raw`\u{2028}\u{2029}`, String.raw`\u2028\u2029`],
  ['half a surrogate pair', 'a\ud800b', String.raw`a\u{d800}b`, String.raw`a\ud800b`],
  ['a tag character above U+FFFF', '\u{e0041}', String.raw`\u{e0041}`, String.raw`\udb40\udc41`],
  ['a delete character', '\u007f', String.raw`\u{7f}`, String.raw`\u007f`],
] as const;

describe('[T35] characters that could move a cursor or forge a line are escaped', () => {
  it.each(HOSTILE)('%s', (_, text, escaped) => {
    expect(escapeUnprintable(text)).toBe(escaped);
    expect(escapeUnprintable(escaped)).toBe(escaped);
  });

  it.each(HOSTILE)('%s, in JSON', (_, text, __, json) => {
    const escaped = escapeUnprintableInJson(JSON.stringify(text));
    expect(escaped).toBe(`"${json}"`);
    expect(JSON.parse(escaped)).toBe(text);
  });

  it.each(['', 'plain', 'naïve → ✓ 日本', '"quoted" \\u{1b}'])('%j is unchanged', (text) => {
    expect(escapeUnprintable(text)).toBe(text);
  });

  it('a text of a million characters is cut at 200', () => {
    expect(quote('\u001b'.repeat(1e6))).toBe(`"${String.raw`\u{1b}`.repeat(200)}…"`);
    expect(quote('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`);
  });
});
