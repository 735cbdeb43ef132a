/*
 * modreg's agent with ten modules, beside other supervisors with ten programs: `node agent.ts <rounds> <idle seconds>
 * [alone]`. The contenders take turns. Prints rows as JSON.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent, type AgentMachine } from './machine.ts';
import { startPm2, startRunit, startS6, startSupervisord } from './peer-supervisors.ts';
import { median, printRows, rounded } from '../row.ts';
import {
  kilobytes,
  nextStart,
  PROGRAMS,
  recorded,
  usageOf,
  type Supervisor,
} from './supervisor.ts';

const [rounds = '10', idleSeconds = '60', alone] = process.argv.slice(2);
const MB = 1_000_000;
const PACKAGE_MB = 10;
const LARGE_PACKAGE_MB = 50;
/** runit and s6 wait for a second before they start a program again that ran for less. */
const SETTLED_MS = 2000;

const folder = mkdtempSync(`${tmpdir()}/modreg-bench-agent-`);
function folderOf(name: string): string {
  mkdirSync(`${folder}/${name}`);
  return `${folder}/${name}`;
}

const agent = await startAgent(folderOf('modreg'));
const peers: Supervisor[] = [];
const contenders = (): Supervisor[] => [agent, ...peers];
try {
  if (alone === undefined) {
    peers.push(startSupervisord(folderOf('supervisord')));
    peers.push(startRunit(folderOf('runit')));
    peers.push(startS6(folderOf('s6')));
    peers.push(await startPm2(folderOf('pm2')));
  }
  printRows(await measure());
} finally {
  await Promise.all(contenders().map(async ({ stop }) => await stop()));
  rmSync(folder, { recursive: true });
}

interface Idle {
  readonly rss: number;
  readonly pss: number;
  /** Of a core. */
  readonly percent: number;
}

/** What was measured of each contender. */
interface Figures {
  readonly idle: ReadonlyMap<Supervisor, Idle>;
  readonly growth: number;
  readonly publications: readonly number[];
  readonly downtimes: ReadonlyMap<Supervisor, number>;
  readonly crashes: ReadonlyMap<Supervisor, number>;
}

async function measure(): Promise<Parameters<typeof printRows>[0]> {
  for (const one of contenders()) {
    for (const program of PROGRAMS) await nextStart(one, program, []);
  }
  await sleep(SETTLED_MS);
  const idle = await idleUsage();
  const growth = await growthWhileInstalling(agent);
  const chosen = PROGRAMS.slice(0, Number(rounds));
  const publications: number[] = [];
  for (const program of chosen) publications.push(await upgraded(agent, program));
  const downtimes = await interleaved(chosen, downtime);
  const crashes = await interleaved(chosen, crash);
  return rows({ idle, growth, publications, downtimes, crashes });
}

/** Memory, and CPU time while nothing changes in percent of a core. */
async function idleUsage(): Promise<ReadonlyMap<Supervisor, Idle>> {
  const before = contenders().map((one) => usageOf(one));
  const began = performance.now();
  await sleep(Number(idleSeconds) * 1000);
  const ms = performance.now() - began;
  return new Map(
    contenders().map((one, place) => {
      const { rss, pss, cpuMs } = usageOf(one);
      return [one, { rss, pss, percent: ((cpuMs - (before[place]?.cpuMs ?? 0)) / ms) * 100 }];
    }),
  );
}

/** The median of each contender, in milliseconds. */
async function interleaved(
  programs: readonly string[],
  measured: (one: Supervisor, program: string) => Promise<number>,
): Promise<ReadonlyMap<Supervisor, number>> {
  const times = new Map(contenders().map((one) => [one, [] as number[]]));
  for (const program of programs) {
    for (const one of contenders()) times.get(one)?.push(await measured(one, program));
    await sleep(SETTLED_MS);
  }
  return new Map(Array.from(times, ([one, ms]) => [one, median(ms)]));
}

/** From the publication of a package to the start of its program. */
async function upgraded(machine: AgentMachine, program: string): Promise<number> {
  const before = recorded(machine, program);
  machine.publish(program, PACKAGE_MB * MB);
  const at = Date.now();
  const start = await nextStart(machine, program, before);
  await sleep(SETTLED_MS);
  return start.at - at;
}

/** From the program's request to stop to the start of the next one. */
async function downtime(one: Supervisor, program: string): Promise<number> {
  const before = recorded(one, program);
  await one.replace(program);
  const start = await nextStart(one, program, before);
  const stop = recorded(one, program)
    .slice(before.length)
    .find(({ kind }) => kind === 'stop');
  return start.at - (stop?.at ?? Infinity);
}

async function crash(one: Supervisor, program: string): Promise<number> {
  const before = recorded(one, program);
  const at = Date.now();
  process.kill(before.at(-1)?.pid ?? 0, 'SIGKILL');
  return (await nextStart(one, program, before)).at - at;
}

/** How much more memory the agent has at most while it installs a package, in MiB. */
async function growthWhileInstalling(machine: AgentMachine): Promise<number> {
  const [program = ''] = PROGRAMS;
  const before = recorded(machine, program);
  writeFileSync(`/proc/${machine.pid}/clear_refs`, '5');
  const peak = kilobytes(machine.pid, 'status', 'VmHWM');
  machine.publish(program, LARGE_PACKAGE_MB * MB);
  await nextStart(machine, program, before);
  await sleep(SETTLED_MS);
  return (kilobytes(machine.pid, 'status', 'VmHWM') - peak) / 1.024 / 1024;
}

/** The figures of the other supervisors in one line; undefined if there are none. */
function ofPeers(figures: ReadonlyMap<Supervisor, number>): string | undefined {
  return (
    peers.map((one) => `${one.name} ${rounded(figures.get(one) ?? 0)}`).join(', ') || undefined
  );
}

function rows({
  idle,
  growth,
  publications,
  downtimes,
  crashes,
}: Figures): Parameters<typeof printRows>[0] {
  const own = idle.get(agent) ?? { rss: Infinity, pss: Infinity, percent: Infinity };
  const publication = median(publications);
  const gap = downtimes.get(agent) ?? Infinity;
  const restart = crashes.get(agent) ?? Infinity;
  const used = (what: 'rss' | 'pss' | 'percent'): string | undefined =>
    ofPeers(new Map(Array.from(idle, ([one, figures]) => [one, figures[what]])));
  return [
    {
      measured: `from the publication of a package of ${PACKAGE_MB} MB to the start of its program, median`,
      figure: `${rounded(publication)} ms`,
      target: '< 2,000 ms',
      isMet: publication < 2000,
    },
    {
      measured:
        'a module does not run while it is replaced, beside its own stop and start, median in ms',
      figure: `${rounded(gap)}`,
      peer: ofPeers(downtimes),
      target: '≤ 50 ms',
      isMet: gap <= 50,
    },
    {
      measured: 'from a crash to the next start of the program, median in ms',
      figure: `${rounded(restart)}`,
      peer: ofPeers(crashes),
      target: '≤ 50 ms',
      isMet: restart <= 50,
    },
    {
      measured: `memory with ${PROGRAMS.length} modules, RSS in MB`,
      figure: `${rounded(own.rss)}`,
      peer: used('rss'),
      target: '≤ 75 MB',
      isMet: own.rss <= 75,
    },
    {
      measured: `memory with ${PROGRAMS.length} modules, PSS in MB`,
      figure: `${rounded(own.pss)}`,
      peer: used('pss'),
    },
    {
      measured: 'CPU time while nothing changes, in percent of a core',
      figure: `${rounded(own.percent)}`,
      peer: used('percent'),
      target: '≤ 0.1 %',
      isMet: own.percent <= 0.1,
    },
    {
      measured: `additional memory while a package of ${LARGE_PACKAGE_MB} MB is installed`,
      figure: `${rounded(growth)} MiB`,
      target: '≤ 64 MiB',
      isMet: growth <= 64,
    },
  ];
}
