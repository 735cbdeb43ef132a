import { constraintOf, LATE_MS, MODULES, termsOf, wishOf } from './beginnings.ts';
import type { Chance } from './chance.ts';
import { CRASH_POINTS, turnOf } from './crash-points.ts';
import { clearLink } from './network.ts';
import { accept, lift, rollBack } from './operator.ts';
import { newRelease, publishing, replacing, yanking } from './published.ts';
import { MANNERS } from './simulated-registry.ts';
import type { ModuleWish, Wish } from './wish.ts';
import type { Mood, Site, World } from './world.ts';

/** What happens to a machine from outside. */
export interface Incident {
  readonly at: number;
  /** One of the table below. */
  readonly kind: string;
}

/** What an incident may do beyond the world: end the process that runs. */
export interface Power {
  readonly kill: (why: string) => void;
  readonly losesDisk: () => void;
  readonly restart: () => void;
}

type Effect = (world: World, chance: Chance, power: Power) => string | undefined;

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEAR = 365 * DAY;

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
    // Few would be made good by real ones, which nobody could tell from those that never were.
    const by = chance.one([0, 1000]);
    registry.miscount(by);
    return `${registry.address} by ${by}`;
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
    // What had ended may begin again.
    ledger.novelty++;
    return `to ${new Date(now).toISOString()}`;
  },
  drift: ({ line }, chance) => {
    const rate = chance.one([0, 0.01, -0.01, 0.2]);
    line.drift(rate);
    return `of ${rate}`;
  },
  'fill the disk': ({ disk }, chance) => {
    const share = chance.one([1, 1, 0.5]);
    disk.fill(() => chance.is(share));
    return `for ${share} of what is written`;
  },
  'empty the disk': ({ disk }) => {
    disk.fill(undefined);
    return 'has room again';
  },
  kill: (_world, _chance, { kill }) => {
    kill('from outside');
    return 'from outside';
  },
  'kill at a point': ({ points, seed }, chance) => {
    const point = chance.is(0.8) ? turnOf(seed) : chance.one(CRASH_POINTS);
    const passes = chance.one([0, 0, 0, 1]);
    points.arm(point, passes);
    return `${point}, after ${passes} times`;
  },
  'lose the disk': (_world, _chance, { kill, losesDisk }) => {
    kill('with its disk');
    losesDisk();
    return 'another is put in';
  },
  restart: (_world, _chance, { restart }) => {
    restart();
    return 'in good order';
  },
  'wish another version': (world, chance) =>
    wishing(world, (wish) => {
      const place = chance.below(wish.modules.length);
      const constraint = constraintOf(chance);
      return {
        ...wish,
        modules: wish.modules.map((module, at): ModuleWish =>
          at === place ? { ...module, constraint } : module,
        ),
      };
    }),
  'wish another machine': (world, chance) => wishing(world, () => wishOf(chance)),
  'wish less': (world, chance) =>
    wishing(world, (wish) => {
      const place = chance.below(wish.modules.length + 1);
      const modules = wish.modules.filter((_, at) => at !== place);
      const isThere = (name: string): boolean => modules.some((module) => module.name === name);
      return { ...wish, modules, needs: wish.needs.filter((pair) => pair.every(isThere)) };
    }),
  'wish other terms': (world, chance) =>
    wishing(world, (wish) => ({ ...wish, terms: termsOf(chance) })),
  'wish another server': (world, chance) =>
    wishing(world, (wish) => ({
      ...wish,
      server: {
        channel: chance.one(['stable', 'latest']),
        pin: chance.is(0.3) ? '1.0.1' : undefined,
        isDisabled: chance.is(0.2),
      },
      agent: { pin: chance.is(0.3) ? '1.0.1' : undefined },
    })),
  'change the mood': ({ mood }, chance) => {
    const moods: (() => Partial<Mood>)[] = [
      () => ({ configuration: chance.one(['there', 'throws', 'hangs']) }),
      () => ({
        maintenance: chance.one(['allowed', 'not allowed', 'junk', 'throws', 'hangs', 'nothing']),
      }),
      () => ({ deployedVersion: chance.one(['known', 'unknown', 'throws', 'hangs']) }),
      () => ({
        consumer: chance.one(['prompt', 'slow', 'forgets', 'stands', 'throws', 'babbles']),
      }),
      () => ({ broken: chance.one([0, 0.3, 1]), obstructed: chance.one([0, 0.3, 1]) }),
      () => ({ lateMs: chance.one([0, 5000, LATE_MS]) }),
    ];
    const change = chance.one(moods)();
    Object.assign(mood, change);
    return JSON.stringify(change);
  },
  'work on the config': (world, chance) => {
    world.mood.isServerBusy = chance.is(0.6);
    world.ledger.isServerBusy = world.mood.isServerBusy;
    return world.mood.isServerBusy ? 'begins' : 'ends';
  },
  lift,
  'roll back': rollBack,
  accept,
};

const OFTEN = [
  'publish',
  'publish',
  'publish',
  'publish',
  'kill at a point',
  'kill at a point',
  'weather',
  'heal',
  'behave',
  'empty the disk',
  'wish another version',
  'wish another machine',
  'wish less',
  'miscount',
];

const DRAWN = [...Object.keys(KINDS), ...OFTEN];

/** What has an action withdrawn that somebody has in hand. */
const TAKING_BACK = [
  'publish',
  'wish another version',
  'wish another version',
  'wish less',
  'yank',
];

/** So many incidents, each some time after the one before. The first is that the process is to be killed at `point`. */
export function incidentsOf(
  chance: Chance,
  count: number,
  apartMs: number,
  point: string,
): Incident[] {
  let at = 0;
  // It takes some that lead there.
  const isSeldom = point.endsWith('withdraw');
  const leading = isSeldom ? TAKING_BACK : DRAWN;
  return Array.from({ length: isSeldom ? 3 * count : count }, (_, number) => {
    at += chance.between(0, 2 * apartMs);
    const kind = chance.one(chance.is(0.9) ? leading : DRAWN);
    return { at, kind: number === 0 ? 'kill at a point' : kind };
  });
}

/** Has it happen. What came of it, or undefined where nothing did. */
export function happen(
  world: World,
  { kind }: Incident,
  chance: Chance,
  power: Power,
): string | undefined {
  return KINDS[kind]?.(world, chance, power);
}

function withLink({ sites }: World, chance: Chance, change: (link: Site['link']) => void): string {
  const { registry, link } = chance.one(sites);
  change(link);
  return `${registry.address} ${JSON.stringify(link)}`;
}

function wishing({ mood }: World, change: (wish: Wish) => Wish): string {
  mood.wish = change(mood.wish);
  return mood.wish.modules.map(({ name, constraint }) => `${name} ${constraint}`).join(', ');
}
