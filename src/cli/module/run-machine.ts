import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAsOf } from '../../agent/process/run-as.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';

/** A machine that runs one module, and its registry, in a temporary folder (D245). */
export interface RunMachine {
  readonly folder: string;
  readonly home: string;
  /** The path of its machine config. */
  readonly config: string;
  readonly moduleId: string;
}

const NAME = /^[a-z][a-z0-9_-]{0,40}$/i;

/** Creates the machine, below `temporary`, for a module that is named after its folder. */
export function createRunMachine(named: string, temporary: string): Result<RunMachine, Problem> {
  const name = NAME.test(named) ? named : 'module';
  const moduleId = `local:${name}`;
  try {
    const folder = mkdtempSync(join(temporary, 'modreg-run-'));
    // The module may run as another user, who must be able to enter it.
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    mkdirSync(home);
    const config = join(folder, 'machine.json');
    const modules = [{ type: 'registry', name, module_id: moduleId, version: 'latest' }];
    writeFileSync(config, JSON.stringify({ modules }));
    return { ok: true, value: { folder, home, config, moduleId } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `no machine can be made in ${excerpt(temporary)} (${code})`;
    const hint = 'TMPDIR names another folder for temporary files';
    return { ok: false, error: { severity: 'error', kind: 'state-write', message, hint } };
  }
}

/** Writes the policy of the machine. Its times are short: an author waits for each. */
export function writeRunPolicy({ folder }: RunMachine, registry: string): void {
  const policy = {
    registry,
    trust: 'unsigned',
    restart_cooldown: '0s',
    restart_ceiling: 1440,
    probation: '3s',
    // modreg runs no module as root unless a policy says so.
    ...(runAsOf(undefined).ok ? {} : { run_as: 'nobody' }),
  };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
}
