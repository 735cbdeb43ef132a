import type { ModuleEntry } from '../core/machine/machine.ts';
import type { Clock } from '../registry/clock.ts';
import type { ClaimedFile } from '../store/index.ts';
import type { AgentEvent } from './event.ts';
import type { AgentPorts } from './ports.ts';
import type { OutputLine } from './process/program-output.ts';
import type { ModuleSite } from './runnable.ts';
import type { ActionEnd, Evidence } from './supervised-module.ts';

/** What the supervised modules of a machine need. */
export interface ModulesOptions {
  readonly ports: AgentPorts;
  readonly file: ClaimedFile;
  readonly site: ModuleSite;
  readonly clock: Clock;
  readonly random: () => number;
  /** Marks the processes of this agent, and of those before it on this machine. */
  readonly runId: string;
  /** The cgroup below which each process gets its own. */
  readonly cgroups: string | undefined;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onLine: (name: string, line: OutputLine) => void;
  readonly onEnd: (end: ActionEnd) => void;
  /** The package of the version in use of an entry is gone. */
  readonly onMissing: (name: string) => void;
  /** The version in use of an entry does not work, or does (D80). */
  readonly onEvidence: (entry: ModuleEntry, evidence: Evidence) => void;
}
