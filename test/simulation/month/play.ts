import { virtualClock } from '../../../src/testing/index.ts';
import { onVirtualTime, restful, workCount } from '../attacks/work.ts';
import { chanceOf } from '../chance.ts';
import { meaningOf, type Wanted } from './documents.ts';
import {
  freeHere,
  HAPPENINGS,
  noteNewest,
  publish,
  saved,
  works,
  type Ground,
  type Mind,
} from './happenings.ts';
import { judge, type Judge, type Violation } from './judge.ts';
import { WINDOW } from './moments-judge.ts';
import { radioTo, type Radio } from './radio.ts';
import { roverWith, type Rover } from './rover.ts';
import { REGISTRY, siteAt, type Site } from './site.ts';

/** A month of a rover. */
export interface Month {
  readonly seed: number;
  /** 40 by default. */
  readonly happenings?: number | undefined;
  /** The places of happenings in the month; the others are left out. */
  readonly only?: readonly number[];
}

export interface Outcome {
  /** What happened, with times. */
  readonly lines: readonly string[];
  /** Requests, answers, notices, deliveries, and what people did. */
  readonly events: number;
  /** Where the process of the machine was killed. */
  readonly kills: readonly string[];
  readonly violation: Violation | undefined;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-01T00:00:00Z');
const DAYS = 30;
export const DEFAULT_HAPPENINGS = 40;
/** Some rounds of a machine, the end of a provisional revision, and another round. */
const QUIET_MS = 100 * MINUTE;
const FIRST: Wanted = {
  modules: { acme_lidar: '1.*', acme_arm: '1.*' },
  rate: undefined,
  cuts: false,
  blackouts: [],
  fault: undefined,
};

interface Stage extends Omit<Ground, 'chance'> {
  readonly note: (line: string) => void;
  readonly look: () => void;
  readonly plan: { killIn: number | undefined };
  readonly seed: number;
}

function kindsOf({ seed, happenings = DEFAULT_HAPPENINGS }: Month): string[] {
  const chance = chanceOf(seed, 'kinds');
  const weighted = Object.entries(HAPPENINGS).flatMap(([kind, [weight]]) =>
    Array.from({ length: weight }, () => kind),
  );
  return Array.from({ length: happenings }, () => chance.one(weighted));
}

/** Plays a month of a rover that follows its site. */
export async function playMonth(month: Month): Promise<Outcome> {
  const { seed } = month;
  const work = workCount();
  const clock = virtualClock(START, work.isBusy);
  const { setInterval } = globalThis;
  const site = siteAt(restful(clock, work), { setInterval });
  const restoreTime = onVirtualTime(clock, chanceOf(seed, 'requests').next);
  const [lines, kills]: [string[], string[]] = [[], []];
  let events = 0;
  const note = (line: string): void => {
    events++;
    const day = (clock.monotonic() / DAY).toFixed(4).padStart(8);
    lines.push(`${day} d  ${line}`);
  };
  const isPinned = seed % 2 === 1;
  const own = ownDocuments(site, isPinned);
  const scene = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    isPinned,
    own,
    running: (): ReadonlyMap<string, string> => stage?.rover.running ?? new Map(),
    isClockRight: () => stage?.rover.time.aheadMs === 0,
  };
  const referee = judge(scene);
  const radio = radioTo(site, { clock, work, chance: chanceOf(seed, 'radio') });
  const plan = { killIn: undefined as number | undefined };
  const inUse = { cutFrom: Infinity };
  let stage: Stage | undefined;
  const look = (): void => lookAt(stage, referee, inUse, clock.monotonic());
  const rover = roverWith({
    clock,
    work,
    chance: chanceOf(seed, 'rover'),
    fetch: radio.fetchFor(() => clock.monotonic() >= inUse.cutFrom),
    token: site.token,
    documents: own,
    works,
    watch: {
      onPoint(point) {
        events++;
        look();
        if (plan.killIn === undefined || --plan.killIn > 0) return false;
        plan.killIn = undefined;
        kills.push(point);
        note(`the process is killed ${point}`);
        return true;
      },
      onNotice(text) {
        note(text);
        look();
        referee.said(text);
      },
      onDelivery({ target: { name }, direction, to }) {
        note(`${name}: ${direction} to ${to}`);
        referee.delivered({ name, direction, to });
      },
      onStart: (name, version) => note(`${name} ${version} starts`),
    },
  });
  const mind: Mind = { wanted: FIRST, published: new Map(), isOnline: true, keys: seed * 1000 };
  const pass = async (ms: number): Promise<void> => {
    await clock.pass(ms);
    look();
  };
  const killAfter = (steps: number): void => void (plan.killIn = steps);
  stage = { site, rover, radio, judge: referee, isPinned, mind, pass, killAfter, note, look, plan, seed, now: () => clock.now() };
  try {
    await live(stage, month);
  } finally {
    radio.lie = undefined;
    await rover.stop();
    site.close();
    restoreTime();
  }
  return { lines, events, kills, violation: referee.violation() };
}

function ownDocuments({ pin }: Site, isPinned: boolean): { config: object; policy: object } {
  const duration = `${WINDOW.to - WINDOW.from}h`;
  const policy = {
    registry: REGISTRY,
    trust: isPinned ? pin : 'unsigned',
    restart_cooldown: '0s',
    restart_ceiling: 1000,
    maintenance: [{ start: `0 ${WINDOW.from} * * *`, duration, time_zone: 'UTC' }],
  };
  return { config: { modules: [] }, policy };
}

/** What lies on the disk of the machine, after a step of it. */
function lookAt(
  stage: Stage | undefined,
  referee: Judge,
  inUse: { cutFrom: number },
  now: number,
): void {
  if (!stage) return;
  const kept = stage.rover.kept();
  referee.kept(kept);
  referee.told(stage.site.commands());
  const cuts = kept?.current !== undefined && meaningOf(kept.current)?.cuts === true;
  // Settings of the system take effect some seconds later.
  inUse.cutFrom = cuts ? Math.min(inUse.cutFrom, now + 10 * SECOND) : Infinity;
}

async function live(stage: Stage, month: Month): Promise<void> {
  const { site, judge: referee, note, mind, pass, seed } = stage;
  const chance = chanceOf(seed, 'first');
  for (const id of ['acme:lidar', 'acme:arm']) note(publish({ site, chance, mind }, id));
  await saved({ ...stage, chance }, FIRST, stage.isPinned);
  await pass(QUIET_MS);
  settle(stage, 'at the beginning');
  const kinds = kindsOf(month);
  const each = (DAYS * DAY) / kinds.length;
  for (const [place, kind] of kinds.entries()) {
    if (referee.violation()) return;
    if (month.only?.includes(place) === false) continue;
    await happen(stage, kind, place, each);
  }
  if (!referee.violation()) await end(stage);
}

async function happen(stage: Stage, kind: string, place: number, each: number): Promise<void> {
  const { radio, note, mind, pass, seed, judge: referee } = stage;
  const chance = chanceOf(seed, `happening ${place}`);
  const [, what] = HAPPENINGS[kind] ?? [];
  const said = await what?.({ ...stage, chance });
  note(`(${place}) ${kind}: ${said ?? 'nothing'}`);
  if (!mind.isOnline && chance.is(0.6)) online(stage);
  await pass(chance.between(10 * SECOND, 20 * MINUTE));
  if (chance.is(0.3)) {
    await calm(stage);
    settle(stage, `after ${kind} (${place})`);
  }
  if (referee.violation()) return;
  // The machine is out of reach for most of a month.
  radio.cut();
  mind.isOnline = false;
  await pass(chance.between(0.2, 0.6) * each);
  if (chance.is(0.7)) online(stage);
}

function online({ radio, mind, note }: Stage): void {
  radio.mend();
  mind.isOnline = true;
  note('the machine is in reach');
}

/** Nothing is in the way of the machine for a while. */
async function calm(stage: Stage): Promise<void> {
  const { radio, plan, pass, rover, mind } = stage;
  radio.lie = undefined;
  plan.killIn = undefined;
  if (!mind.isOnline) online(stage);
  Object.assign(rover.time, { aheadMs: 0, isCertain: true });
  await pass(QUIET_MS);
}

function settle({ site, rover, judge: referee, note, look }: Stage, when: string): void {
  look();
  referee.holds(rover.holds());
  const { applied, refused } = site.answer() ?? {};
  const answer = { applied, refused };
  const newest = site.newest()?.revision;
  referee.settled({ kept: rover.kept(), newest, answer, told: site.commands() });
  note(`it is quiet ${when}`);
}

/** In the end nothing is held, and the machine runs what its authors published last. */
async function end(stage: Stage): Promise<void> {
  const { judge: referee, seed, mind, pass, note, site } = stage;
  const chance = chanceOf(seed, 'end');
  await calm(stage);
  settle(stage, 'in the end');
  freeHere(stage);
  await saved({ ...stage, chance }, FIRST, stage.isPinned);
  noteNewest(stage, site.newest()?.revision ?? 0);
  for (const [id, name] of [['acme:lidar', 'acme_lidar'], ['acme:arm', 'acme_arm']] as const) {
    const minor = (mind.published.get(id) ?? 0) + 1;
    site.publish(id, `1.${minor}.0`);
    note(`${id} 1.${minor}.0 is published`);
    void name;
  }
  await pass(QUIET_MS);
  settle(stage, 'with the last documents');
  stage.radio.cut();
  await pass(5 * DAY);
  stage.radio.mend();
  await pass(DAY);
  for (const [id, name] of [['acme:lidar', 'acme_lidar'], ['acme:arm', 'acme_arm']] as const) {
    referee.converged(name, `1.${(mind.published.get(id) ?? 0) + 1}.0`);
  }
}
