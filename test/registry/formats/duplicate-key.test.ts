import { describe, expect, it } from 'vitest';
import { duplicateKey } from '../../../src/registry/formats/duplicate-key.ts';

describe('[T424] a key that an object has twice', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"b":{"a":1}, "c":[{"x":{}},{"x":1 , "y":[],"x"\t:2}]}', 'x'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
    ['{"a:b":"\\"a:","a:b":"\\\\"}', 'a:b'],
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
    ['{"a":":","b":"\\":","c":"\\\\","d":["a","a",":"]}', undefined],
    ['{"__proto__":{"a":1}}', undefined],
    ['["a","a"]', undefined],
    ['null', undefined],
    ['":"', undefined],
  ])('in %s: %s', (text, expected) => {
    expect(duplicateKey(text, JSON.parse(text))).toBe(expected);
  });
});
