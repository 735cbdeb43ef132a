import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { moduleId } from '../support/ask.ts';
import { LONGEST_MS, ROOT } from '../support/modreg.ts';

/** Where an agent is killed. */
interface Crash {
  readonly point: string;
  /** The deliveries that its consumer saw before that, by their number. */
  readonly seen: readonly number[];
  /** The number of the delivery that the next agent makes; undefined if nothing is left to do. */
  readonly next: number | undefined;
}

/** In the order in which an agent reaches them. */
const CRASHES: readonly Crash[] = [
  { point: 'before commit', seen: [], next: 1 },
  { point: 'after commit', seen: [], next: 1 },
  { point: 'before log', seen: [], next: 1 },
  { point: 'after log', seen: [], next: 1 },
  { point: 'before deliver', seen: [], next: 1 },
  { point: 'after deliver', seen: [], next: 2 },
  { point: 'before effect', seen: [1], next: 2 },
  { point: 'after effect', seen: [1], next: 2 },
  { point: 'before acknowledge', seen: [1], next: 2 },
  { point: 'after acknowledge', seen: [1], next: undefined },
];

/** First one crash at each point. Then two crashes, the first at each point, with another second one in each round. */
const RUNS: readonly (readonly Crash[])[] = runs(Number(process.env['MODREG_CRASH_RUNS'] ?? 10));

function runs(count: number): Crash[][] {
  const rounds = Array.from({ length: Math.ceil(count / CRASHES.length) }, (_, round) =>
    CRASHES.map((first, place) => {
      const seconds = CRASHES.filter(({ point }) => isReached(point, first));
      const second = round > 0 ? seconds[(place + round) % seconds.length] : undefined;
      return second ? [first, second] : [first];
    }),
  );
  return rounds.flat().slice(0, count);
}

/** Whether an agent reaches `point` if the agent before it ended by `crash`. */
function isReached(point: string, crash: Crash): boolean {
  if (point.endsWith('log')) return true;
  if (point.endsWith('commit')) return crash.point === 'before commit';
  return crash.next !== undefined;
}

/** The numbers of all deliveries that consumers see in a run. */
function deliveriesIn(crashes: readonly Crash[]): number[] {
  const seen: number[] = [];
  let earlier = 0;
  for (const crash of crashes) {
    for (const number of crash.seen) seen.push(earlier + number);
    if (crash.next === undefined) return seen;
    earlier += crash.next - 1;
  }
  return [...seen, earlier + 1];
}

let folder: string;
let address: string;

// The tests run concurrently, and share the registry, which they only read.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'modreg-'));
  const catalogue = new Catalogue(join(folder, 'registry.db'), { mode: 'create' });
  for (const version of ['1.2.3', '1.2.9']) {
    const release = readRelease({ version });
    if (release.ok) catalogue.publish(moduleId('acme:lidar'), release.value, Date.now());
  }
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
  ({ address } = running);
  return async () => {
    await running.close();
    catalogue.close();
    rmSync(folder, { recursive: true });
  };
});

/** The signal or the exit code that an agent ended with, and its standard error. */
async function agent(home: string, point: string): Promise<string> {
  const script = join(ROOT, 'test/poller/support/crashing-agent.ts');
  const child = spawn(process.execPath, [script, home, address, point], {
    // It starts in 0.4 s instead of 0.7 s.
    env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/crashing-agent') },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LONGEST_MS,
  });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const [stderr, [exit, signal]] = await Promise.all([text(child.stderr), ended]);
  return `${signal ?? exit}${stderr}`;
}

/** The lines of a file in the home of an agent, with actions named by their number in the machine's file. */
function linesOf(path: string, machine: string): string[] {
  const content = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return content
    .replaceAll(new RegExp(`^${machine}-`, 'gm'), '')
    .split('\n')
    .slice(0, -1);
}

const CASES = RUNS.map(
  (crashes) => [crashes.map(({ point }) => point).join(', then '), crashes] as const,
);

it.concurrent.each(CASES)(
  '[T55] an agent that is killed %s loses nothing and does nothing twice',
  async (_, crashes) => {
    const home = mkdtempSync(join(folder, 'home-'));
    const ends: string[] = [];
    for (const { point } of crashes) ends.push(await agent(home, point));
    ends.push(await agent(home, 'none'));
    const file = openMachineFile(join(home, 'machine.db'), { mode: 'read' });
    const machine = String(file.sql.get('SELECT file FROM identity')?.['file']);
    const actions = file.sql.all('SELECT number, state, deliveries FROM actions');
    const memory = machineStateIn(file).memory();
    file.close();

    const numbers = deliveriesIn(crashes);
    expect(ends).toEqual([...crashes.map(() => 'SIGKILL'), '0']);
    expect(linesOf(join(home, 'effects'), machine)).toEqual(['1 1.2.9']);
    expect(linesOf(join(home, 'deliveries'), machine)).toEqual(
      numbers.map((number) => `1 1.2.9 ${number}`),
    );
    // Only the delivered action was committed.
    expect(actions).toEqual([{ number: 1, state: 'done', deliveries: numbers.at(-1) }]);
    const target = {
      kind: 'module',
      name: 'acme_lidar',
      moduleId: moduleId('acme:lidar'),
    } as const;
    expect(memory.of(target).deployed).toMatchObject({ version: { text: '1.2.9' } });
    expect(memory.open).toEqual([]);
  },
);
