import { describe, expect, it } from 'vitest';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const KEYS = 'an object of ranges by platform-server, platform-agent or module id, and tags';
const TEXTS = 'text, or a list of at most 64 texts';

describe('[T385] the field requires of a list', () => {
  it.each<[string, unknown, object | undefined, string[]]>([
    ['text is one range', { 'platform-server': '>=1.4' }, { 'platform-server': ['>=1.4'] }, []],
    [
      'a list has ranges that must all fit',
      { 'acme:base': ['2.*', '<2.3'], tags: ['a', 'b'] },
      { 'acme:base': ['2.*', '<2.3'], tags: ['a', 'b'] },
      [],
    ],
    ['absent', undefined, undefined, []],
    ['null', null, undefined, []],
    [
      'of another registry: text',
      'python>=3',
      undefined,
      [`/releases/0/requires is "python>=3", expected ${KEYS}`],
    ],
    [
      'of another registry: a list',
      ['wheel'],
      undefined,
      [`/releases/0/requires is a list, expected ${KEYS}`],
    ],
    [
      'of another registry: an object',
      { node: '>=18', npm: '9' },
      undefined,
      [`/releases/0/requires is an object, expected ${KEYS}`],
    ],
    ['an empty object', {}, undefined, [`/releases/0/requires is an object, expected ${KEYS}`]],
    [
      'a key that a later modreg may know, beside one of ours',
      { 'platform-agent': '>=1', kernel: '>=6' },
      { 'platform-agent': ['>=1'], kernel: ['>=6'] },
      [`/releases/0/requires/kernel is ">=6", expected ${KEYS}`],
    ],
    [
      'a number is no range',
      { 'acme:base': 2 },
      { 'acme:base': ['the number 2'] },
      [`/releases/0/requires/acme:base is the number 2, expected ${TEXTS}`],
    ],
    [
      'an object is no tag',
      { tags: {} },
      { tags: ['an object'] },
      [`/releases/0/requires/tags is an object, expected ${TEXTS}`],
    ],
  ])('%s', (_title, requires, expected, dropped) => {
    const list = decodeReleaseDocument({ releases: [{ version: '1.0.0', requires }] }, LIDAR);
    expect(list).toMatchObject({ records: [{ version: '1.0.0', requires: expected }], dropped });
  });
});
