import { isDeepStrictEqual } from 'node:util';
import { readReport } from '../../src/server/fleet/report.ts';
import type { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import type { SentReport } from '../../src/server/fleet/take-report.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { batchTarget } from './batches.ts';
import { readSite, WrongAnswer, type ReadSite } from './read-site.ts';
import { NOW, sentTexts, type SentTexts } from './report-texts.ts';
import type { Target } from './target.ts';

/** Machines that only report what is true; their ids come before and after those of the others. */
const HONEST = ['a-honest', 'h-honest', 'z-honest'];

/** The number of the next report of each honest machine. */
interface Honest {
  number: number;
}

/** Sends the reports of honest machines between those of the others. */
async function send(fleet: FleetFile, sent: readonly SentReport[], honest: Honest): Promise<void> {
  const own = honestReports(++honest.number);
  const all = [...sent.slice(0, sent.length / 2), ...own, ...sent.slice(sent.length / 2)];
  const answers = await Promise.allSettled(
    all.map(async ({ machine, report }) => await fleet.report(machine, report)),
  );
  for (const [place, { machine }] of all.entries()) {
    const answer = answers[place];
    if (!HONEST.includes(machine)) continue;
    if (answer?.status === 'rejected') throw wrongHonest(machine, String(answer.reason));
    if (answer?.value.kind !== 'known') throw wrongHonest(machine, `${answer?.value.kind}`);
  }
}

function wrongHonest(machine: string, answer: string): WrongAnswer {
  return new WrongAnswer(`the report of ${machine} is answered with ${answer}`);
}

/** All fronts take the reports of the others, and then those of honest machines. */
function share(fleet: FleetFile, sent: readonly SentReport[], honest: Honest): void {
  for (let from = 0; from < sent.length; from += OF_MESSAGE) {
    const own = honestReports(++honest.number);
    const reports = [...sent.slice(from, from + OF_MESSAGE), ...own];
    const message = { stream: 'one', sequence: honest.number, at: NOW, reports };
    const answers = fleet.takeShared(message).slice(-own.length);
    const odd = answers.find(({ kind }) => kind !== 'known');
    if (odd) throw wrongHonest('an honest machine', odd.kind);
  }
}

const OF_MESSAGE = 100;

/** Only the number of the state differs, which no reader shows. */
function honestReports(number: number): SentReport[] {
  return HONEST.map((machine, place) => ({
    machine,
    report: {
      ...machineReport([1], { queue: `queue-of-${machine}` }),
      state: reportedState(number, ...(STATES[place] ?? [])),
    },
  }));
}

const STATES = [
  [lidarReport({}, NOW)],
  [lidarReport({ window: '0 2 * * 1' }, NOW), { name: 'other', module_id: 'acme:arm' }],
  [{ decision: 'stuck', reason: 'no release', deployed: 'none', facts: null }],
];

let expected: ReadonlyMap<string, unknown> | undefined;

async function alone(): Promise<ReadonlyMap<string, unknown>> {
  expected ??= await judged([], (site) => site.read(HONEST, []));
  return expected;
}

async function judgeReports(inputs: readonly SentTexts[]): Promise<string | undefined> {
  const before = await alone();
  try {
    const { said } = await judged(inputs, async (site, machines) => ({
      said: await site.read(HONEST, machines),
    }));
    const changed = [...before].find(([name, one]) => !isDeepStrictEqual(said.get(name), one));
    if (!changed) return undefined;
    const [name, one] = changed;
    return `${name} says ${JSON.stringify(said.get(name))}, expected ${JSON.stringify(one)}`;
  } catch (error) {
    if (error instanceof WrongAnswer) return error.message;
    throw error;
  }
}

/** So many of the machines get their own page read. */
const MOST_PAGES = 25;

/** The result of `work` on a site to which all machines have reported. */
async function judged<T>(
  inputs: readonly SentTexts[],
  work: (site: ReadSite, machines: readonly string[]) => Promise<T>,
): Promise<T> {
  const site = readSite();
  try {
    const honest = { number: 0 };
    await send(site.fleet, [], honest);
    const [own, shared] = [sentBy(inputs, 'server'), sentBy(inputs, 'fronts')];
    await send(site.fleet, own, honest);
    share(site.fleet, shared, honest);
    await send(site.fleet, [], honest);
    const machines = [...new Set([...own, ...shared].map(({ machine }) => machine))];
    const known = machines.filter((id) =>
      site.fleet.read((sql) => sql.get('SELECT 1 FROM machines WHERE name = ?', id)),
    );
    return await work(site, known.slice(0, MOST_PAGES));
  } finally {
    site.close();
  }
}

/** The accepted reports of the machines, each with an id of its own. */
function sentBy(inputs: readonly SentTexts[], by: SentTexts['by']): SentReport[] {
  return inputs.flatMap((input, place) =>
    input.by === by ? accepted(`m-${place}`, input.texts) : [],
  );
}

function accepted(machine: string, texts: readonly string[]): SentReport[] {
  return texts.flatMap((text) => {
    const read = readReport(JSON.parse(text));
    return read.ok ? [{ machine, report: read.value }] : [];
  });
}

export const REPORTS: readonly Target[] = [
  batchTarget({
    name: 'reports',
    faults: 'T300',
    perMille: 80,
    inputs: sentTexts,
    size: 500,
    judge: judgeReports,
    show: ({ by, texts }) =>
      `by ${by}: ${texts.map((text) => text.slice(0, 1200)).join('\nthen ')}`,
  }),
];
