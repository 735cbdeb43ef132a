import {
  existsSync,
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { commandIn, launcherFolder } from '../../../agent/launcher/launcher-folder.ts';
import { isPolled } from '../../../store/claim.ts';
import { quote } from '../../../core/text/quote.ts';
import { jsonLine } from '../../base/answer-json.ts';
import { failed, usage, type Outcome } from '../../../base/problem.ts';
import type { World } from '../../../base/world.ts';
import { CREDENTIALS_FILE, isWrittenByInstall } from '../../../host/credentials.ts';
import { COMMAND, SERVICE_HOME, UNIT } from './install-unit-command.ts';
import { THIS_HOST, trying, whyNoService, type SystemdHost } from './systemd-host.ts';
import { homeIn, MARKER, SERVICE } from './unit-text.ts';

export interface UninstallUnitOptions {
  readonly json?: true;
  readonly purge?: boolean;
}

/** What an agent keeps in its home. A registry may have the same home, and stays. */
const KEPT = ['machine.db*', 'logs.db*', 'packages', 'module-data', 'downloads', 'staging'];

/** `modreg agent uninstall-unit`: removes what `install-unit` wrote, and with `--purge` also what the agent kept. */
export function uninstallUnitCommand(
  { json, purge = false }: UninstallUnitOptions,
  world: World,
  host: SystemdHost = THIS_HOST,
): Outcome {
  const problem = whyNoService('uninstall-unit', host, world);
  if (problem) return failed(problem);
  const path = join(host.root, UNIT);
  const unit = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (unit?.startsWith(MARKER) === false) {
    return failed(usage(`${quote(path)} was not written by modreg agent install-unit`));
  }
  const home = (unit && homeIn(unit)) ?? (world.environment['PLATFORM_HOME'] || SERVICE_HOME);
  const place = join(host.root, home);
  // Without a unit and a launcher, what is in the home belongs to another agent.
  const isOwn = unit !== undefined || existsSync(join(launcherFolder(place), 'launch'));
  if (unit === undefined && isOwn && isAgentIn(place)) {
    return failed(usage(`an agent that is not the service platform-agent runs in ${quote(place)}`));
  }
  const removed = trying('the service cannot be removed', () => {
    if (unit !== undefined) host.run('systemctl', ['--quiet', 'disable', '--now', SERVICE]);
    const command = removeCommand(join(host.root, COMMAND), commandIn(home));
    const credentials = removeCredentials(join(host.root, CREDENTIALS_FILE));
    const files = removeFiles(place, purge && isOwn);
    // Last, because only the unit names a home that is not the default.
    if (unit !== undefined) removeUnit(path, host);
    return [...(unit === undefined ? [] : [path]), ...files, ...command, ...credentials];
  });
  if (!removed.ok) return failed(removed.error);
  const left = leftIn(place);
  const what = removed.value;
  if (json) {
    const schema = 'modreg/agent-unit-removed@1';
    return { answer: [jsonLine({ schema, removed: what, left })], notes: [], problems: [] };
  }
  const answer = what.length === 0 ? ['nothing is installed'] : what.map((one) => `removed ${one}`);
  const stays = left.map((one) => `note: ${quote(one)} stays`);
  const notes = purge || left.length === 0 ? stays : [...stays, PURGE];
  return { answer, notes, problems: [] };
}

const PURGE = 'note: --purge also removes the state of the agent, packages, and what modules keep';

function isAgentIn(home: string): boolean {
  const path = join(home, 'machine.db');
  return existsSync(path) && isPolled(path);
}

function removeUnit(path: string, { run }: SystemdHost): void {
  rmSync(path);
  run('systemctl', ['daemon-reload']);
  // A service that failed last is listed until then.
  run('systemctl', ['reset-failed', `${SERVICE}*`]);
}

function removeFiles(home: string, purge: boolean): string[] {
  const kept = purge ? globSync(KEPT, { cwd: home }).map((name) => join(home, name)) : [];
  const removed = [launcherFolder(home), ...kept.toSorted()].filter((path) => existsSync(path));
  // The launcher last: without it, a second call would leave the rest.
  for (const path of removed.toReversed()) rmSync(path, { recursive: true });
  if (existsSync(home) && leftIn(home).length === 0) removeFolder(home);
  return removed;
}

/** The home may be a link, or a mounted disk: then it stays. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOTDIR', 'EBUSY', 'ENOTEMPTY'].includes(code)) throw error;
  }
}

function removeCredentials(path: string): string[] {
  if (!isWrittenByInstall(path)) return [];
  rmSync(path);
  const folder = dirname(path);
  if (readdirSync(folder).length === 0) rmdirSync(folder);
  return [path];
}

/** Removes the command if it is the link of `install-unit`. */
function removeCommand(path: string, target: string): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || readlinkSync(path) !== target) return [];
  rmSync(path);
  return [path];
}

function leftIn(home: string): string[] {
  return existsSync(home) ? readdirSync(home).map((name) => join(home, name)) : [];
}
