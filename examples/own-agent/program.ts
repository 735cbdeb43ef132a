/* The process of a module. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { moduleEnvironment, type ModuleEntry, type UpdateTerms } from 'modreg/config';
import { folderOf } from './versions.ts';

export interface Program {
  /** How it ended, or why it could not be started. */
  readonly ended: Promise<string>;
  /** Asks it to end, and kills it after ten seconds. */
  readonly stop: () => Promise<unknown>;
}

/** Returns a function that starts a version. Throws an Error if a variable of its environment is unset or forbidden. */
export function starterOf(
  entry: ModuleEntry,
  { home, version, terms }: { home: string; version: string; terms: UpdateTerms },
): () => Program {
  const folder = folderOf(home, entry.name, version);
  const read = moduleEnvironment(entry, {
    environment: { ...process.env, PLATFORM_HOME: home },
    machineId: 'local',
    moduleRoot: folder,
    envAllow: terms.envAllow,
  });
  if (!read.ok) {
    throw new Error(read.error.map(({ kind, variable }) => `${kind} ${variable}`).join(', '));
  }
  const environment = { PATH: process.env['PATH'], ...read.value, AGENT_HOME: home };
  return () => {
    const program = startProgram(folder, environment);
    console.log(`${entry.name}: started ${version}`);
    return program;
  };
}

/** Starts `run` in a folder. Its output goes to the agent's. */
function startProgram(folder: string, env: NodeJS.ProcessEnv): Program {
  const child = spawn(`${folder}/run`, {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  const stop = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 10_000).unref();
    return ended;
  };
  return { ended, stop };
}

/** Kills the programs that an agent left behind when it was killed. A container or a service manager would do that. */
export function killProgramsOf(home: string): void {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (environment.includes(`AGENT_HOME=${home}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
