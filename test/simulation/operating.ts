import type { RecordedHold } from '../../src/core/decision/operator-hold.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import type { Chance } from './chance.ts';
import { changeDesired, type Effect } from './configuring.ts';
import type { DesiredTerms } from './desired.ts';
import { keyOf, knownOf, SERVER, targetsOf } from './ledger.ts';
import { actionTarget } from './operator.ts';
import { publishAfter } from './meanwhile.ts';
import { holdKey, REASONS, type Status } from './orders.ts';
import type { World } from './world.ts';

/*
 * What operators and modules say about the right moment (D74 to D79), and how operators edit entries (D82, D84).
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How long a hold lasts that has a named end. */
const LONGEST_HOLD_MS = 30 * DAY;

export const OPERATING: Readonly<Record<string, Effect>> = {
  hold: (world, chance, { look }) => {
    const { disk, ledger, line, conditions } = world;
    if (disk.isFull()) return undefined;
    const targets = targetsOf(ledger.desired);
    const { kind, name } =
      targets.length === 0 || chance.is(0.3)
        ? ({ kind: 'machine', name: '' } as const)
        : chance.one(targets);
    const ms = chance.one([MINUTE, 10 * MINUTE, HOUR, 12 * HOUR]);
    const since = line.wall();
    const endsAt = chance.is(0.5) ? since + ms : undefined;
    const hold: RecordedHold = {
      of: { kind, name },
      by: 'ann',
      because: 'demo',
      since,
      endsAt,
      longestMs: endsAt === undefined ? ms : LONGEST_HOLD_MS,
      elapsedMs: 0,
      countedAt: conditions.isClockRight ? since : undefined,
    };
    machineStateIn(disk.elsewhere()).setHold(hold);
    const { longestMs } = hold;
    ledger.holds.set(holdKey({ kind, name }), { began: line.moment(), since, longestMs, endsAt });
    look();
    return `${kind} ${name} ${endsAt === undefined ? 'for' : 'until the end of'} ${ms / MINUTE} min`;
  },
  unhold: ({ disk, ledger }, chance, { look }) => {
    const keys = [...ledger.holds.keys()];
    if (disk.isFull() || keys.length === 0) return undefined;
    const key = chance.one(keys);
    const [kind, name = ''] = key.split(' ');
    // A cast: the key of a hold begins with its kind.
    machineStateIn(disk.elsewhere()).endHold({ kind: kind as RecordedHold['of']['kind'], name });
    ledger.holds.delete(key);
    look();
    return key;
  },
  'begin a blackout': (world, chance) => {
    const now = Math.floor(world.line.wall() / MINUTE) * MINUTE;
    const from = now + chance.one([0, 0, 2 * MINUTE, 30 * MINUTE]);
    const until = from + chance.one([2 * MINUTE, 30 * MINUTE, 6 * HOUR]);
    // A blackout is in the years 2000 to 2999.
    if (from < Date.UTC(2000, 1) || until > Date.UTC(2999, 1)) return undefined;
    return withTerms(world, ({ blackouts = [] }) => {
      return { blackouts: [...blackouts, { from, until }].slice(-3) };
    });
  },
  'end all blackouts': (world) => withTerms(world, () => ({ blackouts: undefined })),
  'limit the holds': (world, chance) => {
    const longestHoldMs = chance.one([2 * MINUTE, 10 * MINUTE, HOUR, undefined]);
    return withTerms(world, () => ({ longestHoldMs }));
  },
  'ask the modules': (world, chance) =>
    changeDesired(world, (desired) => ({
      ...desired,
      asking: chance.one(['allow', 'hold', undefined]),
    })),
  'publish what is deployed next': publishNext,
  'publish another release': publishNext,
  'publish once more': publishNext,
  veto: vetoed,
  'veto once more': vetoed,
  'upgrade at once': upgradeAtOnce,
  'poll at once': ({ disk, ledger, line }, chance, { look }) => {
    const targets = targetsOf(ledger.desired);
    if (disk.isFull() || targets.length === 0) return undefined;
    const { kind, name } = chance.one(targets);
    machineStateIn(disk.elsewhere()).requestRound({ kind, name }, line.wall());
    look();
    return name;
  },
  'write a wrong value': (world, chance) => edited(world, chance, true),
  'correct a value': (world, chance) => edited(world, chance, false),
  'rename an entry': (world, chance) => {
    const { modules } = world.conditions.desired;
    if (modules.length === 0) return undefined;
    const { name } = chance.one(modules);
    const other = name.endsWith('2') ? name.slice(0, -1) : `${name}2`;
    if (modules.some((one) => one.name === other)) return undefined;
    const renamed = (one: string): string => (one === name ? other : one);
    return changeDesired(world, (desired) => ({
      ...desired,
      modules: desired.modules.map((one) => ({ ...one, name: renamed(one.name) })),
      needs: desired.needs.map(([who, on]) => [renamed(who), renamed(on)] as const),
      own: Object.fromEntries(
        Object.entries(desired.own).map(([one, terms]) => [renamed(one), terms]),
      ),
    }));
  },
};

/** These incidents, in three of four plays: one for every two others, up to `last`. */
export function operatingOf(
  chance: Chance,
  count: number,
  last: number,
): { readonly at: number; readonly kind: string }[] {
  if (chance.is(0.25)) return [];
  const kinds = Object.keys(OPERATING);
  return Array.from({ length: Math.ceil(count / 2) }, () => {
    return { at: chance.between(0, last), kind: chance.one(kinds) };
  });
}

/** Something newer is there for what runs. */
function publishNext(world: World, chance: Chance): string | undefined {
  const { ledger } = world;
  const running = targetsOf(ledger.desired).filter(
    (target) => typeof knownOf(ledger, target).running === 'string',
  );
  if (running.length === 0) return undefined;
  const target = chance.one(running);
  return publishAfter(world, chance, target) ? `of ${keyOf(target)}` : undefined;
}

/** A module or the server says something else about its restart. */
function vetoed(world: World, chance: Chance): string | undefined {
  const { host, conditions } = world;
  if (!host) return undefined;
  const { modules, asking } = conditions.desired;
  if (asking === undefined) {
    changeDesired(world, (desired) => ({ ...desired, asking: chance.one(['allow', 'hold']) }));
  }
  const name = chance.one([...modules.map((one) => one.name), SERVER.name]);
  const reason = chance.one(REASONS);
  const status = chance.one<Status | 'opens for a moment'>([
    { isAllowed: true },
    { isAllowed: false, reason, isOverridable: true },
    { isAllowed: false, reason, isOverridable: false },
    { isAllowed: false, reason },
    'unclear',
    'hangs',
    'opens for a moment',
  ]);
  host.statuses.set(name, status);
  return `${name} says ${JSON.stringify(status)}`;
}

/** An operator wants what the last plan holds now, despite what the modules say. (D76) */
function upgradeAtOnce(
  world: World,
  chance: Chance,
  { look }: Parameters<Effect>[2],
): string | undefined {
  const { disk, ledger, line, judge } = world;
  const held = targetsOf(ledger.desired).flatMap((target) => {
    const word = judge.expected(target).find((one) => /^hold (install|up|down)/.test(one));
    return word === undefined ? [] : [{ target, to: word.split(' ').at(-1) ?? '' }];
  });
  if (disk.isFull() || held.length === 0) return undefined;
  const { target, to } = chance.one(held);
  const from = knownOf(ledger, target).running ?? undefined;
  const despite = chance.is(0.3) ? [] : reasonsGiven(world);
  const at = line.wall();
  const request = { requestedAt: at, by: 'ann', because: undefined, from, to, despite };
  machineStateIn(disk.elsewhere()).requestUpgrade(actionTarget(target), request);
  ledger.wishes.set(keyOf(target), { moduleId: target.moduleId, at, from, to, despite });
  look();
  return `${keyOf(target)} to ${to} despite ${JSON.stringify(despite)}`;
}

function reasonsGiven({ ledger }: World): { by: string; said: string | undefined }[] {
  return [...ledger.answers].flatMap(([by, { last }]) => {
    if (last.status === 'unclear' || last.status.isAllowed) return [];
    return [{ by, said: last.status.reason }];
  });
}

function withTerms(world: World, change: (terms: DesiredTerms) => Partial<DesiredTerms>): string {
  const changed = (terms: DesiredTerms): DesiredTerms => ({ ...terms, ...change(terms) });
  changeDesired(world, (desired) => ({
    ...desired,
    terms: changed(desired.terms),
    own: Object.fromEntries(
      Object.entries(desired.own).map(([name, terms]) => [name, changed(terms)]),
    ),
  }));
  return JSON.stringify(change(world.conditions.desired.terms));
}

/** Another value in the environment of an entry. */
function edited(world: World, chance: Chance, isWrong: boolean): string | undefined {
  const { modules } = world.conditions.desired;
  const chosen = isWrong ? modules : modules.filter(({ value }) => value?.isWrong);
  if (chosen.length === 0) return undefined;
  const { name } = chance.one(chosen);
  const number = write(world, name, isWrong);
  if (isWrong) correctLater(world, chance, number);
  return `${number} of ${name}`;
}

/** Writes another value into an entry. Returns its number. */
function write(world: World, name: string, isWrong: boolean): number {
  const { values = [] } = world.host ?? {};
  const number = values.push(isWrong) - 1;
  changeDesired(world, (desired) => ({
    ...desired,
    modules: desired.modules.map((one) =>
      one.name === name ? { ...one, value: { number, isWrong } } : one,
    ),
  }));
  return number;
}

/** For how long a value is wrong; undefined until the world is mended. */
const WRONG_MS = [3 * SECOND, 2 * MINUTE, 20 * MINUTE, undefined] as const;

function correctLater(world: World, chance: Chance, number: number): void {
  const ms = chance.one(WRONG_MS);
  if (ms === undefined) return;
  world.line.after(ms, () => {
    const { modules } = world.conditions.desired;
    const entry = modules.find(({ value }) => value?.number === number);
    if (!entry) return;
    write(world, entry.name, false);
    world.trace.note(`the value of ${entry.name} is right`);
  });
}

/** Operators correct each wrong value. */
export function correctValues(world: World): void {
  for (const { name, value } of world.conditions.desired.modules) {
    if (value?.isWrong === true) write(world, name, false);
  }
}
