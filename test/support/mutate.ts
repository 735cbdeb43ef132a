import { readJson } from '../../src/config/text/json-document.ts';

/** A generator of random numbers from 0 to 1, determined by the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

/** Values that are wrong in most fields, or unexpected but legal. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  {},
  [[]],
  '',
  ' ',
  '\0',
  '\u202e',
  '\ud800',
  '__proto__',
  'toString',
  'fake',
  'board',
  'local',
  'registry',
  'latest',
  '1.2.*',
  'X.Y.Z',
  '${environment.',
  '${environment.HOME}',
  '${environment.__proto__}',
  '${environment.A-B}',
  'https://[::ffff:a9fe:a9fe]',
  'http://0x7f.1',
  'npm:',
  '9'.repeat(400),
  'a:b:c',
  '../..',
  '512M',
  '1e30G',
  '5m',
  '0 0 30 2 *',
  '* * * * *',
  'Europe/Berlin',
  'é'.repeat(200),
];

const TOKENS: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '/*',
  '//',
  '\n',
  '\r',
  '\0',
  '\ufeff',
  '\u2028',
  'NaN',
  '-',
  '1e999',
  'null',
  '"__proto__":1,',
  '"name":',
  '\\u12',
  '${environment.',
];

/** Returns `bytes` with one to three mutations. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let mutant: Buffer = bytes;
  for (let rounds = 1 + Math.floor(random() * 3); rounds > 0; rounds--) {
    mutant = random() < 0.5 ? mutateValue(mutant, random) : mutateBytes(mutant, random);
  }
  return mutant;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}

function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * (bytes.length + 1));
  const end = Math.min(bytes.length, at + Math.floor(random() ** 4 * bytes.length));
  const between: readonly Buffer[] = [
    Buffer.alloc(0),
    Buffer.from([Math.floor(random() * 256)]),
    Buffer.from(pick(TOKENS, random)),
    bytes.subarray(Math.floor(random() * bytes.length)).subarray(0, 200),
    Buffer.from('['.repeat(Math.floor(random() * 100))),
  ];
  const kept = random() < 0.5 ? at : end;
  return Buffer.concat([bytes.subarray(0, at), pick(between, random), bytes.subarray(kept)]);
}

/** Changes a value, adds a key, or removes one, at a random depth. */
function mutateValue(bytes: Buffer, random: Random): Buffer {
  const root = { document: readJson(bytes.toString()).value };
  let around: Record<string, unknown> = root;
  for (let depth = 0; depth < 12; depth++) {
    const inner = Object.values(around).filter(
      (value) => typeof value === 'object' && value !== null,
    );
    if (inner.length === 0 || (depth > 0 && random() < 0.2)) break;
    around = pick(inner, random) as Record<string, unknown>;
  }
  const keys = Object.keys(around);
  const key = keys.length === 0 ? 'name' : pick(keys, random);
  const way = random();
  if (way < 0.2) delete around[key];
  else if (way < 0.4) around[`${key}${pick(['s', '_', '\n', ''], random)}`] = around[key];
  else around[key] = random() < 0.3 ? around[pick(keys, random)] : pick(VALUES, random);
  return Buffer.from(`${JSON.stringify(root.document, undefined, 1)}\n`);
}
