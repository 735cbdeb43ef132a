import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SystemHost } from '../../src/agent/system/host.ts';
import { temporaryFolder } from './folder.ts';

export const NETWORKS: string = '/etc/NetworkManager/system-connections';
export const YARD: string = `${NETWORKS}/modreg-e5f77a374621dda7.nmconnection`;
export const HOTSPOT: string = `${NETWORKS}/modreg-hotspot.nmconnection`;
export const JOURNAL = '/etc/systemd/journald.conf.d/90-modreg.conf';
export const UPGRADES = '/etc/apt/apt.conf.d/52modreg-upgrades';

/** A root of a machine in a folder, with programs that only write down how they were called. */
export interface SystemSite {
  readonly home: string;
  readonly host: SystemHost;
  /** The calls of programs so far; they are then forgotten. */
  readonly calls: () => string[];
  /** Replaces a program by a shell script. */
  readonly program: (name: string, script: string) => void;
  readonly read: (path: string) => string | undefined;
  readonly mode: (path: string) => string;
  readonly write: (path: string, content: string, mode?: number) => void;
}

export function systemSite(): SystemSite {
  const folder = temporaryFolder();
  const [root, home, programs] = [`${folder}/root`, `${folder}/home`, `${folder}/programs`];
  for (const one of [
    home,
    programs,
    `${root}${NETWORKS}`,
    `${root}/etc/systemd`,
    `${root}/etc/apt`,
  ]) {
    mkdirSync(one, { recursive: true });
  }
  const log = join(folder, 'calls');
  const program = (name: string, script: string): void => {
    const path = join(programs, name);
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >>${log}\n${script}\n`);
    chmodSync(path, 0o755);
  };
  for (const name of ['nmcli', 'systemctl', 'apt-config']) program(name, '');
  return {
    home,
    host: { root, programs: [programs, '/usr/bin', '/bin'].join(delimiter), hostName: 'rover-1' },
    program,
    calls: () => {
      const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
      writeFileSync(log, '');
      return text.replaceAll(root, '@').split('\n').slice(0, -1);
    },
    read: (path) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined),
    mode: (path) => (statSync(root + path).mode & 0o7777).toString(8),
    write: (path, content, mode = 0o644) => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(root + path, content);
      chmodSync(root + path, mode);
    },
  };
}
