import { endHold, setHold } from '../../../src/host/requests/holds.ts';
import { command } from './commands.ts';
import { IDS, textsOf, type Wanted } from './documents.ts';
import { BROKEN, maybeKilled, NAMES, type Ground, type Happening } from './ground.ts';
import { MACHINE } from './site.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function works(version: string): boolean {
  return !version.endsWith(`.${BROKEN}`);
}

export function publish(
  { site, chance, mind }: Pick<Ground, 'site' | 'chance' | 'mind'>,
  id: string,
): string {
  const minor = (mind.published.get(id) ?? -1) + 1;
  mind.published.set(id, minor);
  const version = `1.${minor}.${minor > 0 && chance.is(0.2) ? BROKEN : 1}`;
  site.publish(id, version);
  return `${id} ${version} is published`;
}

/** Tells the oracle of a revision that the site has since the last time. */
export function noteNewest({ site, judge }: Pick<Ground, 'site' | 'judge'>, known: number): number {
  const newest = site.newest();
  if (!newest || newest.revision === known) return known;
  const { revision, config, policy } = newest;
  judge.saved({ revision, config, policy, isSigned: Object.keys(newest.signatures).length > 0 });
  return newest.revision;
}

/** Saves what people have in mind; with a pin operators may sign it, some minutes later. */
export async function saved(ground: Ground, wanted: Wanted, signs: boolean): Promise<number> {
  const { site, mind, chance, judge, pass } = ground;
  const known = site.newest()?.revision ?? 0;
  mind.wanted = wanted;
  const revision = site.save(textsOf(wanted));
  noteNewest(ground, known);
  if (!signs || revision === known) return revision;
  if (chance.is(0.5)) await pass(chance.between(SECOND, 5 * MINUTE));
  site.sign();
  judge.signed(revision);
  return revision;
}

const EDITS: readonly ((wanted: Wanted, ground: Ground) => Partial<Wanted>)[] = [
  (wanted, { chance, mind }) => {
    const name = chance.one(NAMES);
    const newest = mind.published.get(IDS[name] ?? '') ?? 0;
    const version = chance.is(0.4) ? '1.*' : `1.${chance.below(newest + 1)}.*`;
    return { modules: { ...wanted.modules, [name]: version } };
  },
  ({ modules: { acme_arm: arm, ...others } }) => {
    return { modules: arm === undefined ? { ...others, acme_arm: '1.*' } : others };
  },
  (_, { chance }) => ({ rate: chance.one([undefined, '10', '20']) }),
  ({ cuts }) => ({ cuts: !cuts }),
  ({ blackouts }, { now, chance }) => {
    const day = new Date(now() + chance.below(3) * DAY).toISOString().slice(0, 10);
    const others = blackouts.filter((one) => one !== day);
    return { blackouts: chance.is(0.3) ? [] : [...others, day].toSorted() };
  },
  () => ({ fault: 'local-term' }),
  () => ({ fault: 'malformed' }),
];

/** An operator edits the documents of the machine. */
async function edit(ground: Ground): Promise<string> {
  const { chance, mind, isPinned } = ground;
  const change = chance.one(EDITS)({ ...mind.wanted, fault: undefined }, ground);
  const next = { ...mind.wanted, fault: undefined, ...change };
  const signs = isPinned && chance.is(0.5);
  maybeKilled(ground);
  const revision = await saved(ground, next, signs);
  return `revision ${revision} is saved${signs ? ', signed' : ''}: ${JSON.stringify(change)}`;
}

/** What several machines share. */
async function fragment(ground: Ground): Promise<string> {
  const { site, chance, mind } = ground;
  const known = site.newest()?.revision ?? 0;
  const shown = (await site.edit('GET', '/v1/fragments/base')) as { revision?: number };
  const newest = mind.published.get('acme:arm') ?? 0;
  const version = `1.${chance.below(newest + 1)}.*`;
  const entry = { type: 'registry', name: 'acme_arm', module_id: 'acme:arm', version };
  const content = JSON.stringify({ modules: [entry] });
  maybeKilled(ground);
  const about = { based_on: shown.revision ?? 0, content, reason: 'a test' };
  await site.edit('PUT', '/v1/fragments/base', about);
  const { acme_arm: _arm, ...modules } = mind.wanted.modules;
  mind.wanted = { ...mind.wanted, modules, fault: undefined };
  let revision = noteNewest(ground, known);
  const { policy, ...texts } = textsOf(mind.wanted);
  const own = { ...texts, ...(policy !== undefined && { policy }), fragments: ['base'] };
  const at = `/v1/machines/${MACHINE}/config`;
  await site.edit('PUT', at, { based_on: revision, ...own, reason: 'a test' });
  revision = noteNewest(ground, revision);
  return `a fragment asks for arm ${version}: revision ${revision}`;
}

/** The machine drives out of reach for some time. */
async function away({ radio, chance, pass, mind }: Ground): Promise<string> {
  radio.cut();
  mind.isOnline = false;
  await pass(chance.between(HOUR, 4 * DAY));
  return 'the machine was out of reach';
}

/** An answer is one about another machine, of before, or with other documents. */
function lie({ radio, rover }: Ground): string {
  let count = 0;
  radio.lie = async (about, answer) => {
    if (about !== 'config' || answer.status !== 200) return undefined;
    const json = (await answer.json()) as { machine: string; revision: number; config: string };
    const { highest = 0 } = rover.kept() ?? {};
    const older = highest > 1 ? { ...json, revision: highest - 1 } : undefined;
    const other = { ...json, machine: 'rover-8' };
    return Response.json(count++ % 2 === 0 ? other : (older ?? other));
  };
  return 'who has the network lies about documents';
}

/** A person on the machine holds something, or frees it. */
function holdHere({ rover, chance, judge, now }: Ground): string | undefined {
  if (!rover.isUp()) return undefined;
  const name = chance.one([...NAMES, undefined]);
  const held = setHold(
    { named: name, for: '5d', until: undefined, reason: 'a demo', by: 'ann' },
    rover.world(),
  );
  if (!held.ok) return undefined;
  judge.heldHere(name ?? '', now() + 5 * DAY - HOUR);
  rover.look();
  return `ann holds ${name ?? 'the machine'}`;
}

export function freeHere({ rover, judge }: Pick<Ground, 'rover' | 'judge'>): string | undefined {
  if (!rover.isUp()) return undefined;
  for (const { of } of rover.holds()) {
    endHold(of === '' ? undefined : of, rover.world());
    judge.freedHere(of);
  }
  rover.look();
  return 'what is held is freed on the machine';
}

/** A clock without a battery starts in 1970, until it is set. */
async function clockOf1970({ rover, now, pass, chance }: Ground): Promise<string | undefined> {
  if (!rover.isUp()) return undefined;
  Object.assign(rover.time, { aheadMs: -now(), isCertain: false });
  await rover.restart();
  await pass(chance.between(MINUTE, 2 * HOUR));
  Object.assign(rover.time, { aheadMs: 0, isCertain: true });
  return 'the clock of the machine stood in 1970';
}

/** Each happening, and how often it is chosen. */
export const HAPPENINGS: Readonly<Record<string, readonly [number, Happening]>> = {
  edit: [8, edit],
  fragment: [2, fragment],
  publish: [3, (ground) => publish(ground, IDS[ground.chance.one(NAMES)] ?? '')],
  hold: [2, command('hold')],
  unhold: [2, command('unhold')],
  upgrade: [2, command('upgrade')],
  restart: [2, command('restart')],
  rollback: [1, command('rollback')],
  unquarantine: [1, command('unquarantine')],
  away: [2, away],
  kill: [
    2,
    ({ killAfter, chance }) => {
      killAfter(1 + chance.below(30));
      return 'a kill comes';
    },
  ],
  restart_agent: [
    1,
    async ({ rover }) => {
      if (!rover.isUp()) return undefined;
      await rover.restart();
      return 'the agent restarts';
    },
  ],
  lose_state: [
    1,
    async ({ rover, judge }) => {
      if (!rover.isUp()) return undefined;
      judge.lost();
      await rover.loseState();
      return 'the machine loses what it has of its site';
    },
  ],
  back_up: [
    1,
    async ({ site }) => {
      await site.backUp();
      return 'the registry is backed up';
    },
  ],
  restore: [
    1,
    ({ site, judge }) => {
      if (!site.restore()) return undefined;
      judge.restored();
      return 'the registry is restored';
    },
  ],
  restart_registry: [
    1,
    ({ site }) => {
      site.restart();
      return 'the registry restarts';
    },
  ],
  lie: [1, lie],
  hold_here: [1, holdHere],
  free_here: [1, freeHere],
  clock: [1, clockOf1970],
};
