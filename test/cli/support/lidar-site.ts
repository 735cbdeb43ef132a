import { mkdirSync } from 'node:fs';
import { temporaryFolder } from '../../support/folder.ts';
import { entry } from '../../support/planned.ts';

/** Terms with which a module is in use soon. */
const QUICK = {
  run_as: process.getuid?.() === 0 ? 'root' : undefined,
  ready_timeout: '1s',
  probation: '0s',
  restart_cooldown: '0s',
};

/** The folder of a machine with one module. */
export function siteOf(registry: string): string {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: registry.replace(/\/v1$/, ''), ...QUICK }),
  });
  mkdirSync(`${folder}/home`);
  return folder;
}
