import { LATE_MS, MODULES } from './beginnings.ts';
import type { Chance } from './chance.ts';
import { CONFIGURING, PINNING, type Effect, type ProcessControl } from './configuring.ts';
import { crashPointOf, crashPointsOf } from './crash-points.ts';
import { noteRight } from './first-sight.ts';
import { clearLink } from './network.ts';
import { accept, cancelRestart, lift, requestRestart, rollBack } from './operator.ts';
import { newRelease, publishing, replacing, deprecating, yanking } from './published.ts';
import { MANNERS } from './manners.ts';
import { MEANWHILE } from './meanwhile.ts';
import { OPERATING } from './operating.ts';
import type { Conditions, Site, World } from './world.ts';
import { WORLDLY } from './worldly.ts';

/** An external event in the life of a machine. */
export interface Incident {
  readonly at: number;
  /** A key of `KINDS`. */
  readonly kind: string;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEAR = 365 * DAY;
/** A registry knows five lists of each module. */
const KNOWN_LISTS = 5;

const KINDS: Readonly<Record<string, Effect>> = {
  publish: (world, chance) => {
    const { registry } = chance.one(world.sites);
    const moduleId = chance.one(MODULES);
    const release = newRelease(registry.truth(moduleId).releases, chance, world.line.wall());
    const isNew = registry.revise(moduleId, publishing(release));
    return isNew ? `${registry.address} ${moduleId} ${release.version}` : undefined;
  },
  yank: (world, chance) => {
    const { registry } = chance.one(world.sites);
    const moduleId = chance.one(MODULES);
    return registry.revise(moduleId, yanking(chance))
      ? `${registry.address} ${moduleId}`
      : undefined;
  },
  'replace files': (world, chance) => {
    const { registry } = chance.one(world.sites);
    const moduleId = chance.one(MODULES);
    return registry.revise(moduleId, replacing(chance))
      ? `${registry.address} ${moduleId}`
      : undefined;
  },
  misbehave: (world, chance) => {
    const { registry } = chance.one(world.sites);
    const manner = chance.one(MANNERS);
    registry.behave(manner);
    return `${registry.address} is ${manner}`;
  },
  miscount: (world, chance) => {
    const { registry } = chance.one(world.sites);
    // A small number would soon be matched by real changes.
    const by = chance.one([0, 1000]);
    registry.miscount(by);
    return `${registry.address} by ${by}`;
  },
  'renumber changes': (world, chance) => {
    const { registry } = chance.one(world.sites);
    const history = registry.renumber();
    return history === undefined ? undefined : `${registry.address} is in ${history}`;
  },
  behave: (world, chance) => {
    const { registry } = chance.one(world.sites);
    registry.behave('honest');
    return `${registry.address} is honest`;
  },
  cut: (world, chance) =>
    withLink(world, chance, (link) => {
      link.isCut = true;
    }),
  heal: (world, chance) => withLink(world, chance, (link) => Object.assign(link, clearLink())),
  weather: (world, chance) =>
    withLink(world, chance, (link) => {
      link.loss = chance.one([0, 0.1, 0.5, 0.95]);
      link.delayMs = chance.one([50, 2000, 30_000]);
      link.noise = chance.one([0, 0.1, 0.5]);
    }),
  'set the clock': ({ line, ledger }, chance) => {
    const by = chance.one([-MINUTE, MINUTE, -DAY, 3 * DAY, -10 * YEAR, 10 * YEAR]);
    const now = chance.is(0.1) ? 0 : Math.max(0, line.wall() + by);
    line.setWall(now);
    // Windows, quarantines and ages that had ended may apply again.
    ledger.novelty++;
    return `to ${new Date(now).toISOString()}`;
  },
  drift: ({ line }, chance) => {
    const rate = chance.one([0, 0.01, -0.01, 0.2]);
    line.drift(rate);
    return `of ${rate}`;
  },
  'fill the disk': ({ disk, ledger }, chance) => {
    const share = chance.one([1, 1, 0.5]);
    ledger.wasFull = true;
    disk.fill(() => chance.is(share));
    return `for ${share} of all commits`;
  },
  'empty the disk': ({ disk }) => {
    disk.fill(undefined);
    return 'has space again';
  },
  kill: (_world, _chance, { kill }) => {
    kill('from outside');
    return 'from outside';
  },
  'kill at a point': ({ points, seed, host }, chance) => {
    const isOwnAgent = host !== undefined;
    const point = chance.is(0.8)
      ? crashPointOf(seed, isOwnAgent)
      : chance.one(crashPointsOf(isOwnAgent));
    // Most plays withdraw at most one action, and report at most one failure.
    const passes = /(withdraw|reportFailure|report a failure)$/.test(point)
      ? 0
      : chance.one([0, 0, 0, 1]);
    points.arm(point, passes);
    return `${point}, after ${passes} times`;
  },
  'lose the disk': (_world, _chance, { kill, loseDisk }) => {
    kill('with its disk');
    loseDisk();
    return 'a blank one replaces it';
  },
  restart: (_world, _chance, { restart }) => {
    restart();
    return 'gracefully';
  },
  ...CONFIGURING,
  'change the conditions': ({ conditions }, chance) => {
    const changes: (() => Partial<Conditions>)[] = [
      () => ({ configuration: chance.one(['available', 'throws', 'hangs']) }),
      () => ({
        maintenance: chance.one(['allowed', 'not allowed', 'junk', 'throws', 'hangs', 'nothing']),
      }),
      () => ({ deployedVersion: chance.one(['known', 'unknown', 'throws', 'hangs']) }),
      () => ({
        consumer: chance.one(['prompt', 'slow', 'forgets', 'blocks', 'throws', 'repeats']),
      }),
      () => ({ broken: chance.one([0, 0.3, 1]), obstructed: chance.one([0, 0.3, 1]) }),
      () => ({ lateMs: chance.one([0, 5000, LATE_MS]) }),
    ];
    const change = chance.one(changes)();
    Object.assign(conditions, change);
    return JSON.stringify(change);
  },
  'process the config': (world, chance) => {
    world.conditions.isServerBusy = chance.is(0.6);
    world.ledger.isServerBusy = world.conditions.isServerBusy;
    return world.conditions.isServerBusy ? 'begins' : 'ends';
  },
  lift,
  'roll back': rollBack,
  accept,
  'restore a backup': (world, chance) => {
    const { registry } = chance.one(world.sites);
    const back = chance.below(KNOWN_LISTS);
    return `${registry.address} from ${back} changes ago, as ${registry.restore(back)}`;
  },
};

/** Kinds that came later. They have incidents of their own after the others, whose numbers stay the same. */
const LATER: typeof KINDS = {
  'lose power': (_world, _chance, { losePower }) => {
    losePower();
    return 'what was not synced is lost';
  },
  ...PINNING,
  'request a restart': requestRestart,
  'cancel a restart': cancelRestart,
  'boot without a clock': ({ line, ledger, conditions }, chance, { kill }) => {
    if (!conditions.isClockRight) return undefined;
    const before = line.wall();
    noteRight(ledger, before);
    ledger.bootedAt = { wall: before, elapsed: line.elapsed() };
    line.setWall(chance.is(0.3) ? 0 : Math.max(0, before - chance.one([5, 60, 365]) * DAY));
    conditions.isClockRight = false;
    ledger.isClockRight = false;
    ledger.novelty++;
    kill('by a loss of power');
    return `at ${new Date(line.wall()).toISOString()}`;
  },
  deprecate: (world, chance) => {
    const { registry } = chance.one(world.sites);
    const moduleId = chance.one(MODULES);
    return registry.revise(moduleId, deprecating(chance))
      ? `${registry.address} ${moduleId}`
      : undefined;
  },
  'synchronize the clock': ({ line, ledger, conditions }) => {
    if (conditions.isClockRight || !ledger.bootedAt) return undefined;
    const { wall, elapsed } = ledger.bootedAt;
    line.setWall(Math.floor(wall + line.elapsed() - elapsed));
    conditions.isClockRight = true;
    ledger.isClockRight = true;
    ledger.novelty++;
    return `to ${new Date(line.wall()).toISOString()}`;
  },
};

const OFTEN = [
  'publish',
  'publish',
  'publish',
  'kill at a point',
  'kill at a point',
  'weather',
  'heal',
  'behave',
  'empty the disk',
  'change a constraint',
  'change everything',
  'remove a module',
  'miscount',
];

const DRAWN = [...Object.keys(KINDS), ...OFTEN];
const LATER_DRAWN = [
  ...Object.keys(LATER),
  'deprecate',
  'lose power',
  'lose power',
  'request a restart',
  'request a restart',
  'request a restart',
  'synchronize the clock',
  'synchronize the clock',
];
/** One later incident for so many others. */
const EACH = 6;

/** Incidents that lead to the withdrawal of a delivered action. */
const WITHDRAWING = [
  'publish',
  'change a constraint',
  'change a constraint',
  'remove a module',
  'yank',
];

/** `count` incidents at increasing times, and those of later kinds. The first one arms a crash point. */
export function incidentsOf(
  chance: Chance,
  later: Chance,
  ...terms: [count: number, apartMs: number, point: string]
): Incident[] {
  const incidents = ordinaryIncidents(chance, ...terms);
  const last = incidents.at(-1)?.at ?? 0;
  const more = Array.from({ length: Math.ceil(incidents.length / EACH) }, () => {
    return { at: later.between(0, last), kind: later.one(LATER_DRAWN) };
  });
  return [...incidents, ...more];
}

/** What happens during the downloads of modreg's own agent: one for every two incidents, up to `last`. */
export function meanwhileOf(chance: Chance, count: number, last: number): Incident[] {
  return Array.from({ length: Math.ceil(count / 2) }, () => {
    return { at: chance.between(0, last), kind: chance.one(Object.keys(MEANWHILE)) };
  });
}

function ordinaryIncidents(
  chance: Chance,
  count: number,
  apartMs: number,
  point: string,
): Incident[] {
  let at = 0;
  // A withdrawal needs several incidents that lead to it.
  const isRare = point.endsWith('withdraw');
  const leading = isRare ? WITHDRAWING : point.endsWith(' end') ? ['restart'] : DRAWN;
  return Array.from({ length: isRare ? 3 * count : count }, (_, number) => {
    at += chance.between(0, 2 * apartMs);
    const kind = chance.one(chance.is(0.9) ? leading : DRAWN);
    return { at, kind: number === 0 ? 'kill at a point' : kind };
  });
}

/** Plays an incident. Returns a description of its effect, or undefined when it had none. */
export function happen(
  world: World,
  { kind }: Incident,
  chance: Chance,
  control: ProcessControl,
): string | undefined {
  const of = [KINDS, LATER, MEANWHILE, WORLDLY, OPERATING].find((kinds) => kinds[kind]);
  return of?.[kind]?.(world, chance, control);
}

function withLink({ sites }: World, chance: Chance, change: (link: Site['link']) => void): string {
  const { registry, link } = chance.one(sites);
  change(link);
  return `${registry.address} ${JSON.stringify(link)}`;
}
