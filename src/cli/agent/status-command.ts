import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { marked, runIdOf } from '../../agent/process/process-table.ts';
import type { Activation } from '../../core/machine/activation.ts';
import { excerpt } from '../../core/text/quote.ts';
import { isPolled } from '../../store/claim.ts';
import { activationsIn } from '../../store/activations.ts';
import type { MachineFile } from '../../store/index.ts';
import { usingFile } from '../machine/open-state.ts';
import { jsonLine } from '../output/answer-json.ts';
import { columnsOf } from '../output/columns.ts';
import type { Outcome } from '../problem.ts';
import { failed } from '../registry/catalogue-options.ts';
import type { World } from '../world.ts';

/** A module as it is on this machine now. */
interface ModuleStatus {
  readonly name: string;
  /** The version in use, or the one that is being tried. */
  readonly version: string;
  readonly phase: Activation['phase'];
  /** The first of its processes; undefined if it has none, or if they belong to a user whose processes are hidden. */
  readonly pid: number | undefined;
  readonly memory: number;
}

/** `modreg agent status`: what the agent runs. */
export function agentStatusCommand({ json }: { readonly json?: true }, world: World): Outcome {
  const read = usingFile(world, 'read', (file) => {
    return { isRunning: isPolled(file.path), modules: modulesIn(file) };
  });
  if (!read.ok) return failed(read.error);
  const { isRunning, modules } = read.value;
  const notes: string[] = isRunning ? [] : ['no agent is running'];
  if (json) {
    const listed = modules.map((one) => ({ ...one, pid: one.pid ?? null }));
    const document = { schema: 'modreg/agent-status@1', running: isRunning, modules: listed };
    return { answer: [jsonLine(document)], notes, problems: [] };
  }
  if (modules.length === 0) {
    return { answer: ['the agent has installed no module'], notes, problems: [] };
  }
  const rows = modules.map(({ name, version, phase, pid, memory }) => [
    excerpt(name),
    excerpt(version),
    PHASES[phase],
    pid === undefined ? '-' : String(pid),
    pid === undefined ? '-' : `${Math.round(memory / MEGABYTE)} MB`,
  ]);
  const heads = ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY'];
  const line = columnsOf(heads, rows, world.columns);
  return { answer: [heads, ...rows].flatMap(line), notes, problems: [] };
}

const MEGABYTE = 1e6;
const PHASES: Readonly<Record<Activation['phase'], string>> = {
  stable: 'in use',
  trying: 'is tried',
  'rolling-back': 'rolls back',
};

function modulesIn(file: MachineFile): ModuleStatus[] {
  const processes = marked(`${runIdOf(realpathSync(dirname(file.path)))}/`);
  return Array.from(activationsIn(file), ([name, { activation }]) => {
    const own = processes.filter(({ mark }) => mark.startsWith(`${name}/`)).map(({ pid }) => pid);
    const installed =
      activation.phase === 'stable'
        ? activation.current
        : activation.phase === 'trying'
          ? activation.candidate
          : activation.previous;
    return {
      name,
      version: installed.version,
      phase: activation.phase,
      pid: own.toSorted((a, b) => a - b)[0],
      memory: own.reduce((sum, pid) => sum + residentBytes(pid), 0),
    };
  });
}

/** The memory of a process that is in use, in bytes; 0 if it has ended. */
function residentBytes(pid: number): number {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
