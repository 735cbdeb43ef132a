import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { agentCommand, agentScene, homeFindings } from './agent-scene.ts';
import type { InjectedFault } from './injected-fault.ts';
import { runTraced } from './run-traced.ts';

/** After so many kills, the next agent is left alone. */
const MOST_KILLS = 5;

/** What became of a machine whose agents were killed. */
export interface KilledAgents {
  readonly kills: number;
  readonly findings: readonly string[];
  /** The folder, which is kept if there are findings. */
  readonly folder: string;
}

/**
 * Kills the agents of a machine, each just before one of its changes to a file, until one has nothing left to do.
 * `kills` are the faults of an agent that is not killed.
 */
export async function killAgents(
  address: string,
  kills: readonly InjectedFault[],
  random: () => number,
): Promise<KilledAgents> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-kills-`);
  const scene = agentScene(address);
  await scene.prepare(folder);
  const paths = scene.files(folder);
  const findings: string[] = [];
  let killed = 0;
  for (let hours = 0; findings.length === 0; hours++) {
    const fault = killed < MOST_KILLS ? kills[Math.floor(random() * kills.length)] : undefined;
    const traced = fault && { fault, paths, log: `${folder}/calls` };
    const { exit, signal, stderr } = await runTraced(agentCommand(folder, address, hours), traced);
    if (signal === 'SIGKILL') killed++;
    if (stderr !== '') findings.push(`an agent says: ${stderr}`);
    if (exit === 0) break;
    if (signal !== 'SIGKILL') findings.push(`an agent ended with ${exit ?? signal}`);
  }
  findings.push(...homeFindings(folder));
  if (findings.length === 0) rmSync(folder, { recursive: true });
  return { kills: killed, findings, folder };
}
