import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkDocument, readMachine } from '../../src/config/read-document.ts';
import { badDocuments, goodDocuments } from '../support/documents.ts';
import { RUNS } from '../support/runs.ts';

/** With a comment, `JSON.parse` refuses a text, so that the parser that reports positions reads it. */
const COMMENT = '\n//';

function withAttributes(json: string): string {
  return `{"components":[{"name":"a","model":"b","type":"c","namespace":"d","attributes":${json}}]}`;
}

it.each([
  ['equal keys', '{"a":1,"a":1}', 1],
  ['equal keys, one escaped', '{"a":1,"\\u0061":2}', 1],
  ['equal keys, the last with a colon as its value', '{"a":1,"a":":"}', 1],
  ['equal keys, the first with a colon as its value', '{"a":":","a":1}', 1],
  ['equal keys and an escaped colon', '{"a":1,"a":"\\u003a"}', 1],
  ['equal keys, the first with a colon in its value', '{"a":{"b:":1},"a":2}', 1],
  ['colons in keys and values', '{":":"\\":","a:b":"::"}', 0],
  ['escaped colons', '{"a":"\\u003A","b":"\\\\u003a"}', 0],
  ['__proto__', '{"__proto__":1}', 1],
  ['constructor', '{"a":[{"constructor":1}]}', 1],
  ['unusual numbers', '{"a":-0,"b":1e400,"c":12345678901234567890}', 0],
  ['64 levels', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`, 0],
  ['65 levels', `{"a":${'['.repeat(61)}${']'.repeat(61)}}`, 1],
  ['100,000 values', `{"a":[${'0,'.repeat(99_990)}0]}`, 0],
  ['100,001 values', `{"a":[${'0,'.repeat(99_991)}0]}`, 1],
])('%s are read alike with and without a comment', (_name, json, errors) => {
  const text = withAttributes(json);
  const read = readMachine(text);
  expect(read.errors).toBe(errors);
  expect(read).toEqual(readMachine(text + COMMENT));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('reads every document alike with and without a comment', () => {
  const documents = [...goodDocuments(), ...badDocuments()];
  const texts = documents.map(({ bytes, kind }) => ({ text: bytes.toString(), kind }));
  for (const { text, kind } of texts.filter((document) => isJson(document.text))) {
    expect(checkDocument(text, kind)).toEqual(checkDocument(text + COMMENT, kind));
  }
});

const KEYS = ['a', 'b', ':', '\\u003a', '\\u0061', '\\"', ' : '];
const pieces = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', 'null', '":"', '"\\\\"', '"\\u003A"', '[]'),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 4 })
    .map((pairs) => `{${pairs.map(([key, value]) => `"${key}" :${value}`).join(', ')}}`),
}));

it('reads any object alike with and without a comment', () => {
  const property = fc.property(pieces.object, (json) => {
    const text = withAttributes(json);
    expect(readMachine(text)).toEqual(readMachine(text + COMMENT));
  });
  fc.assert(property, RUNS);
});
