import type { PollerEvent } from '../../../src/poller/index.ts';
import { virtualClock } from '../../../src/testing/index.ts';
import { chanceOf, type Chance } from '../chance.ts';
import type { Attack, Ground } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { books } from './books.ts';
import { endless, type Pace } from './endless.ts';
import { judge, type Judge } from './judge.ts';
import {
  LARGEST_LIST,
  machineWith,
  MAX_INDEX_AGE_MS,
  type Machine,
  type Watch,
} from './machine.ts';
import { EXPIRES, MODULE_IDS, siteOf, type Module, type Site } from './site.ts';
import { wireTo, type Wire } from './wire.ts';
import { onVirtualTime, restful, workCount } from './work.ts';

/** A seed, and how many attacks it has. */
export interface Play {
  readonly seed: number;
  /** 6 by default. */
  readonly attacks?: number | undefined;
  /** The places of attacks in the seed; the others are left out. */
  readonly only?: readonly number[];
}

export interface Outcome {
  /** What happened, with times. */
  readonly lines: readonly string[];
  /** The attacks that reached the machine or the registry. */
  readonly happened: readonly Attack[];
  /** The lists that the machine read, and what it and others did. */
  readonly events: number;
  readonly violation: ReturnType<Judge['violation']>;
}

/** A play in progress. */
interface Stage {
  readonly site: Site;
  readonly wire: Wire;
  readonly machine: Machine;
  readonly referee: Judge;
  readonly ground: Omit<Ground, 'chance'>;
  readonly note: (line: string) => void;
  /** When the machine said that it lacks a list. */
  readonly troubles: readonly number[];
  readonly thief: { hasKey: boolean };
  readonly now: () => number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-03-01T00:00:00Z');
export const DEFAULT_ATTACKS = 6;
/** Some rounds, their retries, the end of a quarantine, and the installation. */
const RECOVERY_MS = 15 * MINUTE;
const NOTICED_MS = 4 * MINUTE;
/** For so long an answer may come, and the file of a module of this site, which is small. */
const LONGEST_READ_MS = 31 * SECOND;
/** What a reader holds of a response that it then refuses. */
const UNREAD = 256 * 1024;

/** The attacks of a seed. Those of as many seeds as there are attacks are each attack equally often. */
function attacksOf({ seed, attacks = DEFAULT_ATTACKS }: Play): Attack[] {
  return Array.from({ length: attacks }, (_, place) => {
    const number = seed * attacks + place;
    const order = chanceOf(Math.floor(number / ATTACKS.length), 'order');
    const shuffled = ATTACKS.map((attack) => ({ attack, by: order.next() }));
    const sorted = shuffled.toSorted((a, b) => a.by - b.by);
    // A cast: the number is one of theirs.
    return (sorted[number % ATTACKS.length] as (typeof sorted)[number]).attack;
  });
}

/** Plays a machine with a pin, whose registry or network turns hostile again and again. */
export async function playAttacks(play: Play): Promise<Outcome> {
  const { seed, only } = play;
  const work = workCount();
  const clock = virtualClock(START, work.isBusy);
  const oracle = books();
  const site = siteOf({ clock: restful(clock, work), work }, seed, oracle);
  // After the registry, which looks at its file five times a second: that is no time of the machine.
  const restore = onVirtualTime(clock, chanceOf(seed, 'downloads').next);
  const wire = wireTo(site, { clock, work, books: oracle });
  const lines: string[] = [];
  const happened: Attack[] = [];
  const troubles: number[] = [];
  const thief = { hasKey: false };
  const counted = { most: 0, longest: 0 };
  let events = 0;
  const note = (line: string): void => {
    events++;
    lines.push(`${(clock.monotonic() / SECOND).toFixed(3).padStart(12)} s  ${line}`);
  };
  const elapsed = (): number => clock.monotonic();
  const referee = judge(oracle, {
    now: elapsed,
    isRegistryStolen: () => thief.hasKey,
    running: () => machine.running,
    maxIndexAgeMs: MAX_INDEX_AGE_MS,
    isExpired: () => clock.now() >= Date.parse(EXPIRES),
  });
  const machine = machineWith({
    clock,
    work,
    chance: chanceOf(seed, 'machine'),
    pin: site.pin,
    fetch: wire.fetch,
    watch: watchOf({ referee, note, troubles, now: elapsed }, () => void events++),
    onYank: seed % 2 === 0 ? 'replace' : 'keep',
    onLoss: () => {
      oracle.forget();
      referee.forget();
    },
  });
  const ground = {
    site,
    books: oracle,
    files: new Map<string, string>(),
    now: () => clock.now(),
    machine,
    counted,
    endless: (isFile: boolean, pace?: Pace) => endless(isFile, counted, pace, { clock, work }),
    pass: async (ms: number) => await clock.pass(ms),
    setClock: (to: number) => clock.set(to),
    tell: (lie: Wire['lie']) => {
      wire.lie = lie;
    },
    note: (what: string) => {
      note(`the attacker ${what}`);
      wire.lied.set(what, clock.monotonic());
    },
    complain: referee.complain,
  };
  const stage = { site, wire, machine, referee, ground, note, troubles, thief, now: elapsed };
  try {
    for (const moduleId of MODULE_IDS) site.publish(moduleId);
    await settle(stage, 'at the beginning');
    for (const [place, attack] of attacksOf(play).entries()) {
      if (referee.violation() || only?.includes(place) === false) continue;
      if (await suffer(stage, attack, place, chanceOf(seed, `attack ${place}`)))
        happened.push(attack);
    }
  } finally {
    wire.lie = undefined;
    await machine.stop();
    site.close();
    restore();
  }
  return { lines, happened, events, violation: referee.violation() };
}

function watchOf(
  {
    referee,
    note,
    troubles,
    now,
  }: Pick<Stage, 'referee' | 'note' | 'now'> & { readonly troubles: number[] },
  count: () => void,
): Watch {
  return {
    onRound: () => referee.round(),
    onList(moduleId, { records, stale }, askedAt) {
      count();
      const releases = [...records].map(({ version, artifacts = [], yanked }) => ({
        version,
        digests: artifacts.map(({ digest }) => digest),
        yanked,
      }));
      referee.list(moduleId, { isStale: stale !== undefined, releases }, askedAt);
    },
    onDelivery(moduleId, { to }) {
      note(`${moduleId} is to run ${to}`);
      referee.delivery(moduleId);
    },
    onStart(moduleId, version, content) {
      note(`${moduleId} ${version} starts`);
      referee.start(moduleId, version, content);
    },
    onEvent(event) {
      const said = wordsFor(event);
      if (said !== undefined) note(said);
      const isTrouble = event.kind === 'registry-unavailable' || event.kind === 'list-unavailable';
      if (isTrouble) troubles.push(now());
      if (event.kind === 'callback-error') referee.complain('T589', String(event.error));
    },
  };
}

/** Plays an attack, what goes on meanwhile, and its end. Whether it reached the machine or the registry. */
async function suffer(
  stage: Stage,
  attack: Attack,
  place: number,
  chance: Chance,
): Promise<boolean> {
  const { note, wire, ground, thief, site, referee, troubles } = stage;
  note(`(${place}) ${attack.of}, by who has ${attack.holds}: ${attack.what}`);
  wire.lied.clear();
  wire.asked.clear();
  Object.assign(ground.counted, { most: 0, longest: 0 });
  thief.hasKey = attack.isOfRegistry === true;
  const known = troubles.length;
  const { lie, spares = [], end } = await attack.begin({ ...ground, chance });
  wire.lie = lie;
  await live(stage, chance);
  for (const moduleId of spares) expectRunning(stage, moduleId, 'T587', 'while a list is withheld');
  if (attack.isNoticed) expectNotice(stage, troubles.slice(known));
  const { most, longest } = ground.counted;
  if (most > LARGEST_LIST + UNREAD)
    referee.complain('T583', `${most} bytes are read of an answer without an end`);
  if (longest > LONGEST_READ_MS) referee.complain('T599', `one answer is read for ${longest} ms`);
  const foreign = [...wire.asked].filter((path) => path.includes('evil'));
  if (foreign.length > 0) referee.complain('T585', `the machine asks for ${foreign.join()}`);
  wire.lie = undefined;
  await end?.();
  if (thief.hasKey) site.rotate('registry');
  note('the attack is over');
  await settle(stage, `after ${attack.of}: ${attack.what}`);
  thief.hasKey = false;
  return wire.lied.size > 0;
}

/** What goes on meanwhile: publications, yanks, restarts of the agent. A release comes first, because some attacks are on its file. */
async function live({ site, machine, note, now, ground }: Stage, chance: Chance): Promise<void> {
  const until = now() + chance.between(5 * MINUTE, 30 * MINUTE);
  for (let isFirst = true; now() < until; isFirst = false) {
    const moduleId = chance.one(MODULE_IDS);
    const next = chance.one(['publish', 'publish', 'restart', 'yank', 'nothing']);
    const what = isFirst ? 'publish' : next;
    if (what === 'publish') note(`publishes ${moduleId} ${site.publish(moduleId)}`);
    const best = site.best(moduleId);
    if (what === 'restart') await machine.restart();
    if (what === 'yank' && best !== undefined && site.releases(moduleId).length > 1) {
      const isSigned = chance.is(0.5);
      site.yank(moduleId, best, isSigned);
      note(`yanks ${moduleId} ${best}${isSigned ? ', signed' : ''}`);
    }
    await ground.pass(chance.between(SECOND, 6 * MINUTE));
  }
  await ground.pass(RECOVERY_MS);
}

/** Of what never reached the machine, there is nothing to say. */
function expectNotice({ wire, referee }: Stage, noticed: readonly number[]): void {
  const first = Math.min(...wire.lied.values());
  const isInTime = noticed.some((at) => at >= first - MINUTE && at <= first + NOTICED_MS);
  if (isInTime || wire.lied.size === 0) return;
  referee.complain('T582', `nothing is said within ${NOTICED_MS} ms of what is withheld`);
}

/** Nobody attacks any more: the machine must run what the authors published. */
async function settle(stage: Stage, when: string): Promise<void> {
  await stage.ground.pass(RECOVERY_MS);
  for (const moduleId of MODULE_IDS) expectRunning(stage, moduleId, 'T588', when);
}

function expectRunning(
  { site, machine, referee }: Stage,
  moduleId: Module,
  invariant: string,
  when: string,
): void {
  const runs = machine.running.get(moduleId);
  const allowed = allowedOf(site, moduleId, runs);
  if (runs !== undefined && allowed.includes(runs)) return;
  referee.complain(invariant, `${moduleId} runs ${runs}, expected ${allowed.join(' or ')} ${when}`);
}

/** The best version, or a yanked one that goes on. */
function allowedOf(site: Site, moduleId: Module, runs: string | undefined): string[] {
  const best = site.best(moduleId) ?? 'none';
  const own = site.releases(moduleId).find(({ version }) => version === runs);
  const isKept = runs !== undefined && (own?.yanked ?? undefined) !== undefined;
  return isKept ? [best, runs] : [best];
}

function wordsFor(event: PollerEvent): string | undefined {
  if (event.kind === 'registry-unavailable') return `the registry: ${event.error.kind}`;
  if (event.kind === 'list-unavailable') return `${event.moduleId}: ${event.error.kind}`;
  if (event.kind === 'registry-available') return 'the registry answers again';
  if (event.kind === 'list-available') return `${event.moduleId} has a list again`;
  if (event.kind !== 'quarantined') return undefined;
  return `${event.moduleId} ${event.version} is in quarantine`;
}
