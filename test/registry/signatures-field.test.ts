import { describe, expect, it } from 'vitest';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { moduleId } from '../support/ask.ts';
import { APPROVER, AUTHOR } from '../support/signed.ts';

const LIDAR = moduleId('acme:lidar');
const WORDS = 'signatures in base64 by the ids of their keys';
const [ONE, TWO] = [AUTHOR.sign('a'), APPROVER.sign('b')];
const MANY = Object.fromEntries(
  Array.from({ length: 17 }, (_, place) => [String(place).padStart(16, '0'), ONE]),
);

describe('[T460] the field signatures of a list', () => {
  it.each<[string, unknown, object | undefined, string[]]>([
    [
      'of two keys',
      { [AUTHOR.id]: ONE, [APPROVER.id]: TWO },
      { [AUTHOR.id]: ONE, [APPROVER.id]: TWO },
      [],
    ],
    ['absent', undefined, undefined, []],
    ['null', null, undefined, []],
    ['empty', {}, undefined, []],
    [
      'of npm: a list',
      [{ keyid: 'SHA256:jl3b', sig: 'MEUC' }],
      undefined,
      [`/releases/0/signatures is a list, expected ${WORDS}`],
    ],
    ['text', 'gpg', undefined, [`/releases/0/signatures is "gpg", expected ${WORDS}`]],
    [
      'of another registry: an object',
      { gpg: 'iQEz' },
      undefined,
      [`/releases/0/signatures/gpg is "iQEz", expected ${WORDS}`],
    ],
    [
      'a key that is not one of ours, beside one of ours',
      { [AUTHOR.id]: ONE, ABC: ONE },
      { [AUTHOR.id]: ONE },
      [`/releases/0/signatures/ABC is "${ONE}", expected ${WORDS}`],
    ],
    [
      'a signature that is cut short',
      { [AUTHOR.id]: ONE.slice(0, 84) },
      undefined,
      [`/releases/0/signatures/${AUTHOR.id} is "${ONE.slice(0, 84)}", expected ${WORDS}`],
    ],
    [
      'a signature that is no text',
      { [AUTHOR.id]: true },
      undefined,
      [`/releases/0/signatures/${AUTHOR.id} is the boolean true, expected ${WORDS}`],
    ],
    [
      'of more than 16 keys',
      MANY,
      undefined,
      [`/releases/0/signatures is an object, expected at most 16 ${WORDS}`],
    ],
  ])('%s', (_title, signatures, expected, dropped) => {
    const document = { releases: [{ version: '1.0.0', signatures }] };
    const list = decodeReleaseDocument(document, LIDAR);
    expect(list.records.at(0)?.signatures).toEqual(expected);
    expect(list.dropped).toEqual(dropped);
  });
});
