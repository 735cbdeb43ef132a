import { chanceOf } from '../chance.ts';
import type { Wanted } from './documents.ts';
import type { Ground } from './ground.ts';
import { freeHere, HAPPENINGS, noteNewest, publish, saved } from './happenings.ts';

/** A month of a rover. */
export interface Month {
  readonly seed: number;
  /** 24 by default. */
  readonly happenings?: number | undefined;
  /** The places of happenings in the month; the others are left out. */
  readonly only?: readonly number[];
}

/** A month in progress. */
export interface Stage extends Omit<Ground, 'chance'> {
  readonly seed: number;
  readonly note: (line: string) => void;
  /** Tells the oracle what lies on the disk of the machine. */
  readonly look: () => void;
  readonly plan: { killIn: number | undefined };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const DAYS = 30;
export const DEFAULT_HAPPENINGS = 24;
/** Some rounds of a machine, the end of a provisional revision, and another round. */
const QUIET_MS = 70 * MINUTE;
const NAMES = [
  ['acme:lidar', 'acme_lidar'],
  ['acme:arm', 'acme_arm'],
] as const;
export const FIRST: Wanted = {
  modules: { acme_lidar: '1.*', acme_arm: '1.*' },
  rate: undefined,
  cuts: false,
  blackouts: [],
  fault: undefined,
};

function kindsOf({ seed, happenings = DEFAULT_HAPPENINGS }: Month): string[] {
  const chance = chanceOf(seed, 'kinds');
  const weighted = Object.entries(HAPPENINGS).flatMap(([kind, [weight]]) =>
    Array.from({ length: weight }, () => kind),
  );
  return Array.from({ length: happenings }, () => chance.one(weighted));
}

/** What happens in a month, and how it ends. */
export async function live(stage: Stage, month: Month): Promise<void> {
  const { site, judge: referee, note, mind, pass, seed } = stage;
  const chance = chanceOf(seed, 'first');
  for (const [id] of NAMES) note(publish({ site, chance, mind }, id));
  await pass(MINUTE);
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
  const { radio, rover, note, mind, pass, seed, judge: referee } = stage;
  const chance = chanceOf(seed, `happening ${place}`);
  const [, what] = HAPPENINGS[kind] ?? [];
  const said = await what?.({ ...stage, chance });
  note(`(${place}) ${kind}: ${said ?? 'nothing'}`);
  if (!mind.isOnline && chance.is(0.6)) online(stage);
  await pass(chance.between(10 * SECOND, 20 * MINUTE));
  if (chance.is(0.25)) {
    await calm(stage);
    settle(stage, `after ${kind} (${place})`);
  }
  if (referee.violation()) return;
  // For most of a month the machine is switched off, or out of reach.
  radio.cut();
  mind.isOnline = false;
  if (chance.is(0.8)) await rover.off();
  await pass(chance.between(0.3, 0.7) * each);
  if (!rover.isUp()) rover.on();
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
  if (!rover.isUp()) rover.on();
  await pass(QUIET_MS);
}

function settle({ site, rover, judge: referee, note, look }: Stage, when: string): void {
  look();
  referee.holds(rover.holds());
  const { applied, refused } = site.answer() ?? {};
  const answer = { applied, refused };
  const newest = site.newest()?.revision;
  referee.told(site.commands());
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
  for (const [id] of NAMES) {
    const minor = (mind.published.get(id) ?? 0) + 1;
    site.publish(id, `1.${minor}.0`);
    note(`${id} 1.${minor}.0 is published`);
  }
  await pass(QUIET_MS);
  settle(stage, 'with the last documents');
  stage.radio.cut();
  await pass(5 * DAY);
  stage.radio.mend();
  await pass(DAY);
  for (const [id, name] of NAMES) {
    referee.converged(name, `1.${(mind.published.get(id) ?? 0) + 1}.0`);
  }
}
