import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readTrustDocument } from '../../src/core/trust/trust-document.ts';
import {
  accepted,
  forgotten,
  keepState,
  keptState,
  noneServed,
  reached,
  returned,
  type ServedState,
} from '../../src/host/served/served-state.ts';
import type { ServedConfig } from '../../src/core/trust/served-config.ts';
import { configSigners, signedConfigText } from '../../src/registry/trust/config-signatures.ts';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { followed } from './support/followed.ts';

const LIDAR = { modules: [entry('acme:own', '1.*'), entry('acme:lidar', '1.*')] };
const WITH_AGENT = { ...LIDAR, agent: { 'agent-syscfg': { disable_subsystem: true } } };
const TEN_MINUTES = 600_000;
const HALF_A_MINUTE = 30_000;

it('[D268] a machine that runs another revision says so, and has then reached its site under it', async () => {
  const { save, until, untilSaid, state, changes } = await followed();
  save(LIDAR);
  expect(await until('in use')).toEqual(['info revision 1 of the site is in use']);
  await untilSaid(1);
  await expect.poll(() => state().provisional).toBe(undefined);
  expect([state().highest, changes()]).toEqual([1, 1]);
});

it('[D268] where settings of the system may change, an answer counts once they had 30 s to take effect', async () => {
  const { save, untilSaid, state, clock, ask } = await followed();
  save(WITH_AGENT);
  await untilSaid(1);
  expect(state().provisional).toEqual({ earlier: undefined, wasUnproven: false });
  clock.advance(HALF_A_MINUTE);
  ask();
  await expect.poll(() => state().provisional).toBe(undefined);
});

it('[D268] what ran before returns if the site is not reached in ten minutes, which the site is told later', async () => {
  const { save, until, untilSaid, state, clock, ask, cut, restore, said, changes } =
    await followed();
  save(LIDAR);
  await untilSaid(1);
  await expect.poll(() => state().provisional).toBe(undefined);
  save(WITH_AGENT);
  await untilSaid(2);
  await cut();
  const began = clock.now();
  clock.advance(TEN_MINUTES + 1);
  ask();
  const detail = 'the machine did not reach its site within 10 min under revision 2';
  expect((await until('again')).at(-1)).toBe(`warn ${detail}: revision 1 is in use again`);
  expect([state().current?.revision, state().highest, changes()]).toEqual([1, 2, 3]);
  expect(state().since).toBeGreaterThan(began + TEN_MINUTES);
  await restore();
  ask();
  await until('info the documents of the site can be read again');
  await untilSaid(1, 2);
  expect(said()).toEqual({ applied: 1, refused: { revision: 2, code: 'unreachable', detail } });
  // The same documents are tried again under another number only.
  save(WITH_AGENT);
  await untilSaid(3);
});

const TRUST = trustOf([role('namespace acme', 1, AUTHOR), role('operator', 1, APPROVER)]);

it('[D263] [D266] a revision that needs a signature is refused and said so, until it has it', async () => {
  const read = readTrustDocument(TRUST.text);
  if (!read.ok) throw new Error(read.error);
  const document = read.value;
  const { catalogue, save, until, untilSaid, said, ask, state, changes } = await followed(
    async () => ({
      ok: true,
      value: { document, signed: (served) => configSigners(document, served).length },
    }),
    { trust: TRUST.pin },
  );
  save(WITH_AGENT);
  const detail = '/config/agent may change only with the signatures of operators (it has 0 of 1)';
  expect(await until('refused')).toEqual([
    `warn revision 1 of the site is refused: needs-signature: ${detail}; its own documents stay in use`,
  ]);
  await untilSaid(undefined, 1);
  // The machine waits for the next one.
  expect(changes()).toBe(1);
  expect(said()).toEqual({
    applied: undefined,
    refused: { revision: 1, code: 'needs-signature', detail },
  });
  const { configs } = catalogue;
  const newest = configs.newest('rover-7');
  if (!newest) throw new Error('nothing was saved');
  const { id, sign } = APPROVER;
  const signature = sign(signedConfigText('acme-plant', newest));
  catalogue.apply({ kind: 'config-signatures', ...newest, signatures: { [id]: signature } });
  ask();
  await untilSaid(1);
  expect([state().current?.revision, state().refused]).toEqual([1, undefined]);
});

const ALTERED: readonly (readonly [string, Partial<ServedConfig>])[] = [
  [
    'other-machine: the documents are for rover-8, and this machine is rover-7',
    { machine: 'rover-8' },
  ],
  [
    'changed-revision: revision 1 has other documents than those that this machine runs as revision 1',
    { revision: 1, config: '{}' },
  ],
];

it.each(ALTERED)(
  '[D447] a wrong answer is said once (%s), and the right one with its number is used',
  async (refusal, altered) => {
    let change: Partial<ServedConfig> = {};
    const arriving = (served: ServedConfig): ServedConfig => ({ ...served, ...change });
    const { save, until, untilSaid, said, ask } = await followed(undefined, undefined, {
      arriving,
    });
    save(LIDAR);
    await untilSaid(1);
    await until('in use');
    change = altered;
    save({ modules: [] });
    const [first] = await until('refused');
    expect(first).toContain(`is refused: ${refusal}; revision 1 stays in use`);
    const revision = altered.revision ?? 2;
    await untilSaid(1, revision);
    ask();
    change = {};
    ask();
    expect(await until('in use')).toEqual(['info revision 2 of the site is in use']);
    await untilSaid(2);
    expect(said()).toEqual({ applied: 2, refused: undefined });
  },
);

it('[T674] documents that cannot be kept on the disk are not used', async () => {
  const { save, until, home, state } = await followed();
  rmSync(home, { recursive: true });
  save(LIDAR);
  expect(await until('kept')).toEqual([
    'warn the documents of the site cannot be kept (ENOENT), and are not used',
  ]);
  expect(state().current).toBe(undefined);
});

it('[T675] a machine that cannot reach its site says so once, and goes on with what it has', async () => {
  const { save, until, untilSaid, cut, ask, state } = await followed();
  save(LIDAR);
  await untilSaid(1);
  await expect.poll(() => state().provisional).toBe(undefined);
  await until('in use');
  await cut();
  ask();
  const [first = ''] = await until('cannot be read');
  expect(first).toMatch(
    /^warn the documents of the site cannot be read: .*; revision 1 stays in use$/,
  );
  expect(state().current?.revision).toBe(1);
});

it('[T675] a site that was not told what the machine refuses is told once it is reached', async () => {
  let isCut = true;
  const sending: typeof fetch = async (...request) => {
    const [to] = request;
    const url = to instanceof Request ? to.url : String(to);
    if (isCut && url.endsWith('/answer')) throw new TypeError('cut');
    return await fetch(...request);
  };
  const { save, until, ask, said } = await followed(undefined, undefined, { fetch: sending });
  save({ modules: 1 });
  await until('cannot be read');
  isCut = false;
  ask();
  await until('can be read again');
  expect(said()).toMatchObject({ applied: undefined, refused: { revision: 1 } });
});

it('[T707] a machine that cannot take commands says so once, and goes on with the documents of its site', async () => {
  const untrusted = new RegistryError('registry-untrusted', 'SITE did not sign its answer');
  const proof = async (): Promise<never> => await Promise.reject(untrusted);
  const { save, until, untilSaid, ask } = await followed(undefined, undefined, { proof });
  expect(await until('commands')).toEqual([
    'warn commands of the site cannot be taken: SITE did not sign its answer',
  ]);
  ask();
  save(LIDAR);
  expect(await until('in use')).toEqual(['info revision 1 of the site is in use']);
  await untilSaid(1);
  save({ modules: [] });
  expect(await until('in use')).toEqual(['info revision 2 of the site is in use']);
});

it('[T707] a site that serves documents and fails for commands is said so after two questions', async () => {
  const failing = new RegistryError('registry-busy', 'SITE is busy or failing (500)');
  let asked = 0;
  const proof = async (): Promise<never> => {
    asked += 1;
    if (asked < 3) ask();
    return await Promise.reject(failing);
  };
  const { until, ask } = await followed(undefined, undefined, { proof });
  expect([await until('commands'), asked]).toEqual([
    ['warn commands of the site cannot be taken: SITE is busy or failing (500)'],
    2,
  ]);
});

const SERVED = { machine: 'rover-7', revision: 5, config: '{}', policy: undefined, signatures: {} };
const TAKEN = { by: 'no-pin', least: { 'acme:lidar': '1.3.5' } } as const;
const STATE = accepted(noneServed('https://site.example', 'rover-7'), SERVED, TAKEN);

it('[D326] a machine keeps since when it runs a revision, also when the revision gets a signature', () => {
  const first = accepted(noneServed('https://site.example', 'rover-7'), SERVED, TAKEN, 1000);
  const signed = accepted(first, { ...SERVED, signatures: { a: 'b' } }, TAKEN, 2000);
  const next = accepted(signed, { ...SERVED, revision: 6 }, TAKEN, 3000);
  expect([first.since, signed.since, next.since]).toEqual([1000, 1000, 3000]);
});

function found(...states: readonly ServedState[]): boolean[] {
  return states.map((one) => one.isUnproven);
}

it('[D433] a machine knows of each revision that it may return to whether its policy named a trust document', () => {
  const none = noneServed('https://site.example', 'rover-7');
  const signed = { by: 'operators', least: {} } as const;
  const limited = { by: 'limits', least: {} } as const;
  const next = { ...SERVED, revision: 6 };
  const [free, proven] = [accepted(none, SERVED, TAKEN), accepted(none, SERVED, signed)];
  expect(found(none, free, proven)).toEqual([false, true, false]);
  expect(found(accepted(free, next, signed), accepted(free, next, limited))).toEqual([
    false,
    false,
  ]);
  const back = (state: ServedState, taken: typeof TAKEN | typeof signed): ServedState =>
    returned(accepted(reached(state), next, taken), 0);
  expect(found(back(free, signed), back(proven, TAKEN), back(none, TAKEN))).toEqual([
    true,
    false,
    false,
  ]);
  const home = temporaryFolder();
  keepState(home, accepted(reached(free), next, signed));
  expect(found(returned(keptState(home) ?? none, 0), forgotten(free))).toEqual([true, false]);
});

it('[D433] what an earlier modreg kept counts as taken without a trust document', () => {
  const home = temporaryFolder();
  keepState(home, accepted(noneServed('https://site.example', 'rover-7'), SERVED, TAKEN));
  const path = `${home}/machine.db.served`;
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  delete kept.isUnproven;
  delete kept.provisional.wasUnproven;
  writeFileSync(path, JSON.stringify(kept));
  const { isUnproven, provisional } = keptState(home) ?? {};
  expect([isUnproven, provisional?.wasUnproven]).toEqual([true, true]);
});

it('[D262] a machine that runs its own documents again still refuses lower revisions and versions', () => {
  const none = noneServed('https://site.example', 'rover-7');
  expect(forgotten(STATE)).toEqual({ ...none, highest: 5, least: { 'acme:lidar': '1.3.5' } });
});

it('[D269] what a machine runs of its site is kept whole, for its user only', async () => {
  const { home } = await followed();
  keepState(home, STATE);
  expect(keptState(home)).toEqual(STATE);
  expect(statSync(`${home}/machine.db.served`).mode & 0o777).toBe(0o600);
});

it.each<[string, (path: string) => void]>([
  ['is cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, 40))],
  ['is empty', (path) => writeFileSync(path, '')],
  ['is of a later schema', (path) => writeFileSync(path, '{"schema":"modreg/served-documents@2"}')],
  ['is gone', (path) => rmSync(path)],
])(
  '[D269] a machine whose kept documents are in a file that %s has none of its site',
  async (_what, damage) => {
    const { home } = await followed();
    keepState(home, STATE);
    chmodSync(home, 0o700);
    damage(`${home}/machine.db.served`);
    expect(keptState(home)).toBe(undefined);
  },
);
