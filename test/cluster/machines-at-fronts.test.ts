import { expect, it } from 'vitest';
import type { EventStream } from '../../src/cluster/event-stream.ts';
import { openFront } from '../../src/cluster/front.ts';
import { systemClock, type Clock } from '../../src/registry/clock.ts';
import { Catalogue } from '../../src/server/index.ts';
import { signedConfigText } from '../../src/registry/trust/config-signatures.ts';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { temporaryFolder } from '../support/folder.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { twoFronts } from './support/two-fronts.ts';

const ROVER = '/machines/rover-7';
const MACHINE = 'machine:rover-7';
const QUESTION = `${ROVER}/commands?nonce=q3J-AAAAAAAAAAAAAAAAAA`;
const SAVING = { based_on: 0, config: '{"modules":[]}', reason: 'first' };
const HOLD = { key: 'a'.padEnd(22, '_'), kind: 'hold', for: '12h', reason: 'trade fair' };

it('[D399] the wait of a machine at one front ends when another front is given something for it', async () => {
  const { one, two, level } = await twoFronts();
  const trust = trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]);
  await one.as('trust', 'PUT', '/trust', { document: trust.text });
  await level();
  const { sequence } = one.catalogue.changes(0);
  const waiting = async (config: string, commands: number) => {
    const { json } = await two.as(
      MACHINE,
      'GET',
      `/changes?after=${sequence}&wait=60&config=${config}&commands=${commands}`,
    );
    return [json['config'], json['commands']];
  };
  const first = waiting('', 0);
  await one.as('config', 'PUT', `${ROVER}/config`, SAVING);
  expect(await first).toEqual(['1.0', undefined]);
  const second = waiting('1.0', 0);
  await one.as('commands', 'PUT', `${ROVER}/commands`, HOLD);
  expect(await second).toEqual([undefined, 1]);
  let third: unknown;
  void waiting('1.0', 1).then((news) => (third = news));
  const newest = one.catalogue.configs.newest('rover-7');
  if (!newest) throw new Error('nothing was saved');
  const signatures = { [APPROVER.id]: APPROVER.sign(signedConfigText('acme-plant', newest)) };
  await one.as('config', 'PUT', `${ROVER}/config/signatures`, { revision: 1, signatures });
  // Before the wait is over.
  await expect.poll(() => third, { timeout: 10_000 }).toEqual(['1.1', undefined]);
});

/** What a front reads that is behind after this many events. */
function behind(events: () => number): (stream: EventStream) => EventStream {
  return (stream) => ({
    ...stream,
    last: async () => Math.min(await stream.last(), events()),
    read: async (sequence) => (sequence > events() ? undefined : await stream.read(sequence)),
    readAtLeader: async (sequence) =>
      sequence > events() ? undefined : await stream.readAtLeader(sequence),
  });
}

/** Waits of requests end soon. */
const SOON: Clock = {
  ...systemClock,
  sleep: async (ms, signal) => await systemClock.sleep(Math.min(ms, 100), signal),
};

/** Asks a front as a machine that knows documents with this tag. */
async function known(
  front: { readonly fetch: typeof fetch; readonly catalogue: Catalogue },
  tag: string,
): Promise<unknown[]> {
  const token = front.catalogue.createToken(
    { name: `of-${tag.replace('.', '-')}`, scopes: [MACHINE] },
    0,
  );
  const authorization = token.ok ? `Bearer ${token.value.token}` : '';
  const headers = { authorization, 'if-none-match': `"${tag}"` };
  const answer = await front.fetch(`http://front.test/v1${ROVER}/config`, { headers });
  const { revision, detail } = Object(answer.status === 304 ? undefined : await answer.json());
  return [answer.status, revision ?? detail];
}

it('[T794] a machine asks a front that has not yet what another has served to it', async () => {
  let events = Infinity;
  const { stream, one, two, level } = await twoFronts({ toSecond: behind(() => events) });
  await one.as('config', 'PUT', `${ROVER}/config`, SAVING);
  await level();
  events = await stream.last();
  await one.as('config', 'PUT', `${ROVER}/config`, { ...SAVING, based_on: 1, config: '{}' });
  const asked = known(two, '2.0');
  events = Infinity;
  expect(await asked).toEqual([304, undefined]);
});

it('[T794] a front that is cut off says that it is behind, and one whose cluster lost a revision serves what it has', async () => {
  let now = 0;
  let isCutOff = false;
  const clock = { ...SOON, monotonic: () => now };
  const toSecond = (stream: EventStream): EventStream => ({
    ...stream,
    async last() {
      if (isCutOff) throw new Error('no leader');
      return await stream.last();
    },
  });
  const { one, two, level } = await twoFronts({ clock, toSecond });
  await one.as('config', 'PUT', `${ROVER}/config`, SAVING);
  await level();
  expect(await known(two, '7.0')).toEqual([200, 1]);
  isCutOff = true;
  await expect.poll(() => two.events.at(-1)?.kind).toBe('unreachable');
  // It was confirmed a moment ago, before the machine asked.
  now = 1;
  expect(await known(two, '8.0')).toEqual([
    503,
    'this front has revision 1 of rover-7, and the machine revision 8',
  ]);
  now = 40_000;
  expect(await known(two, '1.0')).toEqual([304, undefined]);
  // A command could be one that was dropped since.
  expect(await two.as(MACHINE, 'GET', QUESTION)).toMatchObject({
    status: 503,
    json: { detail: 'this front cannot reach a majority of its cluster' },
  });
});

it('[T795] a front that holds back an event that may be about machines serves them nothing', async () => {
  const { stream, one, level } = await twoFronts();
  await one.as('config', 'PUT', `${ROVER}/config`, SAVING);
  await level();
  stream.put('modreg.release.acme.lidar', '{"schema":4}');
  await expect.poll(() => one.following.withheld()?.modules?.size).toBe(1);
  expect((await one.as(MACHINE, 'GET', `${ROVER}/config`)).status).toBe(200);
  stream.put('modreg.fleet', '{"schema":4}');
  await expect.poll(() => one.following.withheld()?.modules).toBeUndefined();
  const held = /^event 5 of the stream \(modreg\.release\.acme\.lidar\) cannot be applied/;
  for (const [scope, path] of [
    [MACHINE, `${ROVER}/config`],
    [MACHINE, QUESTION],
    ['config', '/fragments'],
    ['commands', '/groups/canary/commands'],
  ] as const) {
    const { status, json } = await one.as(scope, 'GET', path);
    expect([status, json['detail']]).toEqual([503, expect.stringMatching(held)]);
  }
  const { json } = await one.as(MACHINE, 'GET', '/changes?after=0&config=&commands=0');
  expect(json['config']).toBeUndefined();
});

it('[T796] while the cluster takes no change, commands are served, and a machine is told to say again what it says', async () => {
  let isCutOff = false;
  let now = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    async sleep(ms, signal) {
      now += ms;
      await systemClock.sleep(Math.min(ms, 10), signal);
    },
  };
  const toSecond = (stream: EventStream): EventStream => ({
    ...stream,
    async append(event, expected) {
      if (isCutOff) throw new Error('no majority');
      return await stream.append(event, expected);
    },
  });
  const { one, two, level } = await twoFronts({ clock, toSecond });
  await one.as('commands', 'PUT', `${ROVER}/commands`, HOLD);
  await level();
  isCutOff = true;
  const { status, json } = await two.as(MACHINE, 'GET', QUESTION);
  expect([status, json['commands']]).toEqual([200, [expect.objectContaining({ number: 1 })]]);
  const outcomes = { outcomes: [{ number: 1, result: 'done', detail: '' }] };
  const said = await Promise.all([
    two.as(MACHINE, 'PUT', `${ROVER}/commands/outcomes`, outcomes),
    two.as(MACHINE, 'PUT', `${ROVER}/config/answer`, { applied: 1, refused: null }),
  ]);
  expect(said.map((answer) => [answer.status, answer.json['type']])).toEqual([
    [503, 'urn:modreg:unavailable'],
    [503, 'urn:modreg:unavailable'],
  ]);
  isCutOff = false;
  expect((await two.as(MACHINE, 'PUT', `${ROVER}/commands/outcomes`, outcomes)).status).toBe(200);
  await two.as(MACHINE, 'GET', QUESTION);
  await expect.poll(() => one.catalogue.configs.commands.hasAsked('rover-7')).toBe(true);
});

it.each<[string, (catalogue: Catalogue) => unknown, string]>([
  [
    'documents',
    ({ configs }) =>
      configs.save({
        machine: 'rover-7',
        basedOn: 0,
        config: '{}',
        policy: undefined,
        at: 0,
        author: 'a',
        reason: 'b',
      }),
    'documents of machines',
  ],
  [
    'a command',
    ({ configs }) =>
      configs.commands.give({
        machine: 'rover-7',
        key: 'k',
        kind: 'hold',
        module: undefined,
        term: '1h',
        version: undefined,
        at: 0,
        expiresAt: 1,
        author: 'a',
        reason: 'b',
      }),
    'commands to machines',
  ],
  [
    'a fragment',
    (catalogue) =>
      catalogue.apply({
        kind: 'fragment',
        next: { name: 'base', revision: 1, at: 0, author: 'a', reason: 'b', content: '{}' },
        users: stateOf([]),
        documents: [],
      }),
    'fragments of documents',
  ],
])(
  '[T797] a file with %s of its own does not become that of a front',
  async (_title, fill, own) => {
    const catalogue = new Catalogue(`${temporaryFolder()}/front.db`, { mode: 'create' });
    fill(catalogue);
    const options = {
      clock: systemClock,
      onEvent: () => undefined,
      version: '0.3.0',
      monitors: [],
    };
    const opened = openFront(catalogue, { servers: [], credentials: undefined }, options);
    await expect(opened).rejects.toThrow(
      `it has ${own} of its own: a front begins with an empty file`,
    );
    catalogue.close();
  },
);
