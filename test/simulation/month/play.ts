import { virtualClock, type VirtualClock } from '../../../src/testing/index.ts';
import { onVirtualTime, restful, workCount } from '../attacks/work.ts';
import { chanceOf, type Chance } from '../chance.ts';
import { FIRST, live, type Month, type Stage } from './course.ts';
import { meaningOf } from './documents.ts';
import { works } from './happenings.ts';
import { judge, type Judge, type Violation } from './judge.ts';
import type { Chances, Watch } from './life.ts';
import { WINDOW } from './moments-judge.ts';
import { radioTo } from './radio.ts';
import { roverWith, type Rover } from './rover.ts';
import { REGISTRY, siteAt, type Site } from './site.ts';

export interface Outcome {
  /** What happened, with times. */
  readonly lines: readonly string[];
  /** Requests, answers, notices, deliveries, and what people did. */
  readonly events: number;
  /** Where the process of the machine was killed. */
  readonly kills: readonly string[];
  readonly violation: Violation | undefined;
}

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');
/** Settings of the system take effect some seconds later. */
const EFFECT_MS = 10_000;

/** Set once what a process imports at its first use is there: that takes real time, which differs. */
let isWarm = false;

/** Plays a month of a rover that follows its site. */
export async function playMonth(month: Month): Promise<Outcome> {
  if (!isWarm) await play({ seed: 1, happenings: 1, only: [] });
  isWarm = true;
  return await play(month);
}

/** So many turns of the event loop after the last sleep began or ended, nothing is being read any more. */
const READING_TURNS = 40;

/** A clock that stands still while something is read, which takes some turns of the event loop. */
function readingClock(isBusy: () => boolean): VirtualClock {
  let turns = 0;
  const base = virtualClock(START, () => isBusy() || turns++ < READING_TURNS);
  return {
    ...base,
    async sleep(...asked) {
      turns = 0;
      await base.sleep(...asked).finally(() => {
        turns = 0;
      });
    },
    async pass(ms) {
      turns = 0;
      await base.pass(ms);
    },
  };
}

async function play(month: Month): Promise<Outcome> {
  const { seed } = month;
  const work = workCount();
  const clock = readingClock(work.isBusy);
  const { setInterval } = globalThis;
  const site = siteAt({ clock: restful(clock, work), work, setInterval });
  const restoreTime = onVirtualTime(clock, chanceOf(seed, 'requests').next);
  const chances = chancesOf(seed);
  const radio = radioTo(site, { clock, work, chances });
  const record = recordBy(clock);
  const isPinned = seed % 2 === 1;
  const own = ownDocuments(site, isPinned);
  const met: Met = { rover: undefined, cutFrom: Infinity, plan: { killIn: undefined } };
  const referee = judge({ ...sceneOf(clock, met), isPinned, own });
  const look = (): void => lookAt(met, referee, clock.monotonic());
  const rover = roverWith({
    clock,
    work,
    chances,
    fetch: radio.fetchFor(() => clock.monotonic() >= met.cutFrom),
    token: site.token,
    documents: own,
    works,
    watch: watchBy({ record, site, referee, look, plan: met.plan }),
  });
  met.rover = rover;
  const said = { note: record.note, look, plan: met.plan };
  const people = { isPinned, mind: mindOf(seed), judge: referee, seed };
  try {
    await live({ site, rover, radio, ...people, ...said, ...timeOf(clock, look, met) }, month);
  } finally {
    radio.lie = undefined;
    await rover.stop();
    site.close();
    restoreTime();
  }
  const { lines, kills, events } = record;
  return { lines, events, kills, violation: referee.violation() };
}

function chancesOf(seed: number): Chances {
  const known = new Map<string, Chance>();
  return (actor) => {
    const chance = known.get(actor) ?? chanceOf(seed, actor);
    known.set(actor, chance);
    return chance;
  };
}

function mindOf(seed: number): Stage['mind'] {
  return { wanted: FIRST, published: new Map(), isOnline: true, keys: seed * 1000 };
}

/** What is known of the machine once it is there. */
interface Met {
  rover: Rover | undefined;
  /** When the documents that are in use cut it off, on the monotonic clock. */
  cutFrom: number;
  readonly plan: Stage['plan'];
}

function sceneOf(
  clock: VirtualClock,
  met: Met,
): Omit<Parameters<typeof judge>[0], 'isPinned' | 'own'> {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    running: () => met.rover?.running ?? new Map(),
    isClockRight: () => met.rover?.time.aheadMs === 0,
  };
}

function timeOf(
  clock: VirtualClock,
  look: () => void,
  { plan }: Met,
): Pick<Stage, 'now' | 'pass' | 'killAfter'> {
  return {
    now: () => clock.now(),
    async pass(ms) {
      await clock.pass(ms);
      look();
    },
    killAfter(steps) {
      plan.killIn = steps;
    },
  };
}

interface Record {
  readonly lines: string[];
  readonly kills: string[];
  events: number;
  readonly note: (line: string) => void;
}

function recordBy(clock: VirtualClock): Record {
  const record: Record = {
    lines: [],
    kills: [],
    events: 0,
    note(line) {
      record.events++;
      record.lines.push(`${(clock.monotonic() / DAY).toFixed(4).padStart(8)} d  ${line}`);
    },
  };
  return record;
}

interface Watching {
  readonly record: Record;
  readonly site: Site;
  readonly referee: Judge;
  readonly look: () => void;
  readonly plan: Stage['plan'];
}

function watchBy({ record, site, referee, look, plan }: Watching): Watch {
  const { note, kills } = record;
  return {
    onPoint(point) {
      record.events++;
      look();
      if (point === 'after commands outcomes') referee.told(site.commands());
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
  };
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
function lookAt(met: Met, referee: Judge, now: number): void {
  if (!met.rover) return;
  const kept = met.rover.kept();
  referee.kept(kept);
  const cuts = kept?.current !== undefined && meaningOf(kept.current)?.cuts === true;
  met.cutFrom = cuts ? Math.min(met.cutFrom, now + EFFECT_MS) : Infinity;
}
