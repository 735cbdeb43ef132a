import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import type { World } from '../../src/base/world.ts';
import {
  documentKeeper,
  documentsForStart,
  type StartDocuments,
} from '../../src/host/kept-documents.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const MACHINE = JSON.stringify({ modules: [entry('acme:lidar', '1.*')] });
const POLICY = '{ "registry": "https://registry.example" }';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder({ 'machine.json': MACHINE, 'policy.json': POLICY });
  mkdirSync(`${folder}/home`);
});

function worldHere(): World {
  return { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: `${folder}/home` } };
}

/** What a start uses: the modules and the registry, and why it uses what was kept; or the errors. */
function started(path = 'machine.json', policy?: string): readonly (string | undefined)[] {
  const world = worldHere();
  const named = policy === undefined ? {} : { policy: `${folder}/${policy}` };
  const start = documentsForStart(`${folder}/${path}`, named, world);
  if (!start.ok) return start.error.map(({ message }) => message.replace(folder, '.'));
  const { documents, problems } = start.value;
  return [
    ...documents.machine.modules.map(({ name }) => name),
    documents.policy.terms.registry,
    ...problems.map(({ message }) => message.replace(folder, '.')),
  ];
}

/** A start, after which the documents that it uses are kept. */
function keeping(path = 'machine.json', policy?: string): string | undefined {
  const world = worldHere();
  const named = policy === undefined ? {} : { policy: `${folder}/${policy}` };
  const start = documentsForStart(`${folder}/${path}`, named, world);
  if (!start.ok) throw new Error('it does not start');
  return documentKeeper(`${folder}/home`)(start.value.documents)?.message;
}

const EMPTY = 'the machine config ./machine.json has 1 error';

it.each<[what: string, damage: () => void, expected: readonly string[]]>([
  [
    'an empty machine config',
    () => writeFileSync(`${folder}/machine.json`, ''),
    ['acme_lidar', 'https://registry.example', EMPTY],
  ],
  [
    'a missing machine config',
    () => rmSync(`${folder}/machine.json`),
    ['acme_lidar', 'https://registry.example', 'the file "./machine.json" does not exist'],
  ],
  [
    'an empty policy',
    () => writeFileSync(`${folder}/policy.json`, ''),
    ['acme_lidar', 'https://registry.example', 'the policy ./policy.json has 1 error'],
  ],
  [
    'a missing policy',
    () => rmSync(`${folder}/policy.json`),
    ['acme_lidar', 'https://registry.example', 'the file "./policy.json" does not exist'],
  ],
  [
    'a policy with errors, although the machine config is another one',
    () => {
      writeFileSync(`${folder}/policy.json`, '{"registry":7}');
      writeFileSync(`${folder}/machine.json`, '{"modules":[]}');
    },
    ['acme_lidar', 'https://registry.example', 'the policy ./policy.json has 1 error'],
  ],
  [
    'an empty machine config, and what was kept is damaged',
    () => {
      writeFileSync(`${folder}/machine.json`, '');
      writeFileSync(`${folder}/home/machine.db.documents`, '{');
    },
    [EMPTY],
  ],
  [
    'an empty machine config, and what was kept has errors for this modreg',
    () => {
      writeFileSync(`${folder}/machine.json`, '');
      const path = `${folder}/home/machine.db.documents`;
      writeFileSync(path, readFileSync(path, 'utf8').replace('1.*', '1.?'));
    },
    [EMPTY],
  ],
])('[T353] a start uses the last documents without errors after %s', (_what, damage, expected) => {
  expect(keeping()).toBeUndefined();
  damage();
  expect(started()).toEqual(expected);
});

it('[T353] documents of another machine config, or of another policy, are not used', () => {
  writeFileSync(`${folder}/other.json`, '');
  writeFileSync(`${folder}/other-policy.json`, '');
  keeping();
  expect(started('other.json')).toEqual(['the machine config ./other.json has 1 error']);
  expect(started('machine.json', 'other-policy.json')).toEqual([
    'the policy ./other-policy.json has 1 error',
  ]);
});

it('[T353] a machine that never had a policy starts without one, and with one once it is there', () => {
  rmSync(`${folder}/policy.json`);
  keeping();
  expect(started()).toEqual(['acme_lidar', undefined]);
  writeFileSync(`${folder}/policy.json`, POLICY);
  expect(started()).toEqual(['acme_lidar', 'https://registry.example']);
});

it('[T353] without kept documents, the errors of the files end the start', () => {
  writeFileSync(`${folder}/machine.json`, '');
  expect(started()).toEqual([EMPTY]);
});

it('[T353] the kept documents are returned once, and then what the files have', () => {
  keeping();
  writeFileSync(`${folder}/machine.json`, '');
  const world = worldHere();
  const start = documentsForStart(`${folder}/machine.json`, {}, world);
  const read = start.ok ? start.value.read : () => start;
  expect([read().ok, read().ok]).toEqual([true, false]);
  writeFileSync(`${folder}/machine.json`, MACHINE);
  expect(read().ok).toBe(true);
  // A policy that was there must stay, as while an agent runs.
  rmSync(`${folder}/policy.json`);
  expect(read().ok).toBe(false);
});

it('[T353] what is kept is for this user only, since it may contain secrets', () => {
  chmodSync(`${folder}/machine.json`, 0o644);
  keeping();
  expect(statSync(`${folder}/home/machine.db.documents`).mode & 0o777).toBe(0o600);
});

it('[T353] a home that cannot be written is said once, and is no reason not to run', () => {
  const world = worldHere();
  const start = documentsForStart(`${folder}/machine.json`, {}, world);
  if (!start.ok) throw new Error('it does not start');
  rmSync(`${folder}/home`, { recursive: true });
  const keep = documentKeeper(`${folder}/home`);
  const said = [1, 2].map(() => keep(start.value.documents)?.message.replace(folder, '.'));
  expect(said).toEqual([
    'the documents are not kept for the next start: ./home/machine.db.documents cannot be written (its folder does not exist)',
    undefined,
  ]);
  mkdirSync(`${folder}/home`);
  expect(keep(start.value.documents)).toBeUndefined();
  expect(statSync(`${folder}/home/machine.db.documents`).size).toBeGreaterThan(0);
});

/** What readings of the documents have: their registry, the fields that hold every replacement, and whether they are earlier ones. */
function readings(...policies: readonly string[]): readonly (readonly unknown[])[] {
  const start = documentsForStart(`${folder}/machine.json`, {}, worldHere());
  if (!start.ok) throw new Error('it does not start');
  const { documents, read } = start.value;
  return [
    seen({ ok: true, value: documents }),
    ...policies.map((text) => {
      writeFileSync(`${folder}/policy.json`, text);
      return seen(read());
    }),
  ];
}

function seen(read: ReturnType<StartDocuments['read']>): readonly unknown[] {
  if (!read.ok) return read.error.map(({ message }) => message.replace(folder, '.'));
  const { policy, unknown, isEarlier } = read.value;
  const held = unknown.map(({ message }) => message.replace(folder, '.'));
  const paths = policy.unknownFields?.map(({ path }) => path);
  return [policy.terms.registry, paths, isEarlier, ...held];
}

const TYPO = '{ "registry": "https://other.example", "maintenence": [] }';
const FOUND = './policy.json:1:40 /maintenence: unknown field';
const AGENT_TYPO = JSON.stringify({ ...JSON.parse(MACHINE), agent: { 'platform-sever': {} } });

it('[D241] documents with an unknown field do not take the place of those before, and hold everything', () => {
  expect(readings(TYPO, POLICY)).toEqual([
    ['https://registry.example', undefined, undefined],
    ['https://registry.example', ['/maintenence'], true, FOUND],
    ['https://registry.example', undefined, undefined],
  ]);
});

it('[D241] [T640] without documents of before, as after a fallback, those with an unknown field are used', () => {
  writeFileSync(`${folder}/policy.json`, TYPO);
  expect(readings(TYPO)).toEqual([
    ['https://other.example', ['/maintenence'], undefined, FOUND],
    ['https://other.example', ['/maintenence'], undefined, FOUND],
  ]);
  expect(keeping()).toBeUndefined();
  expect(existsSync(`${folder}/home/machine.db.documents`)).toBe(false);
});

it('[D241] a start after an edit with an unknown field uses what was kept', () => {
  keeping();
  writeFileSync(`${folder}/policy.json`, TYPO);
  expect(readings()).toEqual([['https://registry.example', ['/maintenence'], true, FOUND]]);
});

it('[D241] a field of the agent configuration holds as one of the policy does', () => {
  keeping();
  writeFileSync(`${folder}/machine.json`, AGENT_TYPO);
  const start = documentsForStart(`${folder}/machine.json`, {}, worldHere());
  const agent = start.ok ? start.value.documents.machine.agent : undefined;
  expect(agent?.unknownFields).toEqual([
    { path: '/agent/platform-sever', suggestion: 'platform-server' },
  ]);
});

it('[D315] a start with a misspelt modules uses the modules of before', () => {
  keeping();
  writeFileSync(`${folder}/machine.json`, '{ "components": [], "modues": [] }');
  expect(started()).toEqual(['acme_lidar', 'https://registry.example']);
});
