import { existsSync, lstatSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { commandIn, writeLauncher } from '../../../agent/launcher/launcher-folder.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import { replaceFile } from '../../../files/replace-file.ts';
import { runAsOf } from '../../../agent/process/run-as.ts';
import { usersBelow } from '../../../agent/process/system-user.ts';
import type { Result } from '../../../core/index.ts';
import { excerpt, quote } from '../../../core/text/quote.ts';
import { readInterval } from '../../plan/interval-option.ts';
import { documentReader } from '../../../host/plan-documents.ts';
import { jsonLine } from '../../base/answer-json.ts';
import { failed, usage, type Outcome, type Problem } from '../../../base/problem.ts';
import { namedRegistry } from '../../../host/registry-choice.ts';
import { parseRegistryAddress } from '../../../registry/address.ts';
import type { World } from '../../../base/world.ts';
import {
  CREDENTIALS_FILE,
  credentialsText,
  environmentCredentials,
  originOf,
  readCredentials,
  type Credentials,
} from '../../../host/credentials.ts';
import type { AgentRunOptions } from '../run-terms.ts';
import { policyWithPin, type NewPolicy, type PinOptions } from './policy-pin.ts';
import { THIS_HOST, trying, whyNoService, type SystemdHost } from './systemd-host.ts';
import { isPlain, MARKER, SERVICE, unitText } from './unit-text.ts';

export interface InstallUnitOptions extends AgentRunOptions, Pick<PinOptions, 'trust'> {
  readonly start?: boolean;
}

export const UNIT: string = `etc/systemd/system/${SERVICE}.service`;
/** The command for people, unless the machine has one. */
export const COMMAND = 'usr/local/bin/modreg';
/** Where the state of a service belongs. */
export const SERVICE_HOME = '/var/lib/modreg';
/** The unit of the Debian package, which has the same home. */
const PACKAGED = 'modreg-agent.service';
const HOME_MODE = 0o711;
const PRIVATE_MODE = 0o600;
const UNIT_MODE = 0o644;

/** `modreg agent install-unit <machine.json>`: installs the agent as a service of systemd. */
export function installUnitCommand(
  path: string,
  options: InstallUnitOptions,
  world: World,
  host: SystemdHost = THIS_HOST,
): Outcome {
  const order = orderOf(path, options, world, host);
  if (!order.ok) return failed(...order.error);
  const done = trying('the service cannot be installed', () => install(order.value, host));
  if (!done.ok) return failed(done.error);
  const { unit, isStarted, machine } = done.value;
  const notes = existsSync(machine)
    ? [`note: journalctl -u ${SERVICE} shows what it prints`]
    : [`note: the service waits for ${quote(machine)}: write it, then systemctl start ${SERVICE}`];
  const schema = 'modreg/agent-unit@1';
  const answer = options.json
    ? jsonLine({ schema, unit, home: order.value.home, started: isStarted })
    : `${excerpt(unit)} is written and enabled${isStarted ? ', and the agent is started' : `: systemctl start ${SERVICE} starts the agent`}`;
  return { answer: [answer], notes: options.json ? [] : notes, problems: [] };
}

interface Order {
  readonly home: string;
  /** Absolute. */
  readonly machine: string;
  readonly options: readonly string[];
  readonly credentials: Credentials | undefined;
  readonly newPolicy: NewPolicy | undefined;
  readonly start: boolean;
}

/** What is to be installed, or why it cannot be. Nothing is changed. */
function orderOf(
  path: string,
  { policy, registry, trust, interval = '30s', start = false }: InstallUnitOptions,
  world: World,
  host: SystemdHost,
): Result<Order, Problem[]> {
  const home = world.environment['PLATFORM_HOME'] || SERVICE_HOME;
  const machine = resolve(path);
  const problem = whyNoService('install-unit', host, world) ?? whyTaken(host);
  if (problem) return refused(problem);
  const every = readInterval(interval);
  if (!every.ok) return refused(every.error);
  const from = namedAddress(registry, world);
  if (!from.ok) return refused(from.error);
  const options = [
    ...(policy === undefined ? [] : ['--policy', resolve(policy)]),
    ...(from.value === undefined ? [] : ['--registry', from.value]),
    '--interval',
    interval,
  ];
  if (!isAbsolute(home))
    return refused(usage(`PLATFORM_HOME is ${quote(home)}, expected an absolute path`));
  const special = [home, machine, ...options].find((one) => !isPlain(one));
  if (special !== undefined)
    return refused(usage(`a unit cannot name ${quote(special)}: ${PLAIN}`));
  const documents = existsSync(machine)
    ? documentReader(machine, policy === undefined ? {} : { policy })()
    : undefined;
  if (documents?.ok === false) return documents;
  const credentials = ownCredentials(world, host);
  if (!credentials.ok) return refused(credentials.error);
  // D174
  const newPolicy = policyWithPin(machine, { trust, policy, registry: from.value }, world);
  if (!newPolicy.ok) return refused(newPolicy.error);
  // The key is bound to the registry that is configured now: a later edit of the policy does not send it to another one.
  const origin = originOf(from.value ?? documents?.value.policy.terms.registry);
  const own = credentials.value && { ...credentials.value, origin };
  return {
    ok: true,
    value: { home, machine, options, credentials: own, newPolicy: newPolicy.value, start },
  };
}

/** The registry that the command names, with an absolute path if it is one; undefined if it names none. */
function namedAddress(
  registry: string | undefined,
  world: World,
): Result<string | undefined, Problem> {
  const named = namedRegistry(registry === undefined ? {} : { registry }, world);
  if (named === undefined) return { ok: true, value: undefined };
  const address = parseRegistryAddress(named);
  if (!address.ok) return { ok: false, error: usage(`--registry: ${address.error}`) };
  return { ok: true, value: 'url' in address.value ? named : resolve(named) };
}

/** The credentials to write; undefined if there are none, or a file has them that can be used. */
function ownCredentials(
  world: World,
  { root }: SystemdHost,
): Result<Credentials | undefined, Problem> {
  const given = environmentCredentials(world);
  const path = join(root, CREDENTIALS_FILE);
  if (!given.ok || given.value || !existsSync(path)) return given;
  const file = readCredentials(path);
  return file.ok ? { ok: true, value: undefined } : file;
}

function refused(problem: Problem): { readonly ok: false; readonly error: Problem[] } {
  return { ok: false, error: [problem] };
}

const PLAIN = 'expected letters, digits and . / @ + , : _ - = & ? only';

/** Why the unit must not be written; undefined if it may. */
function whyTaken({ root, run }: SystemdHost): Problem | undefined {
  const path = join(root, UNIT);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : MARKER;
  if (!text.startsWith(MARKER)) {
    const hint = `remove it if it is not needed any more, or keep it: modreg agent run needs no other`;
    return usage(`${quote(path)} exists, and modreg did not write it`, hint);
  }
  if (isActive(PACKAGED, run)) {
    const hint = `systemctl disable --now ${PACKAGED} stops and disables it`;
    return usage(`${PACKAGED} of the Debian package runs the agent of this machine`, hint);
  }
  return undefined;
}

function isActive(unit: string, run: SystemdHost['run']): boolean {
  try {
    run('systemctl', ['--quiet', 'is-enabled', unit]);
    return true;
  } catch {
    // It is disabled, or does not exist.
    return false;
  }
}

function install(
  { home, machine, options, credentials, newPolicy, start }: Order,
  { root, run }: SystemdHost,
): { readonly unit: string; readonly isStarted: boolean; readonly machine: string } {
  if (!runAsOf(undefined, { uid: 0, sources: usersBelow(root) }).ok) run('useradd', USER);
  const folder = join(root, home);
  makeFolders(folder, HOME_MODE);
  const program = ownProgram();
  // With the environment of a service, in which for example another Node may be found than here, or none. A launcher that works
  // stays as it is if this fails.
  run(program, ['version']);
  writeLauncher(folder, program);
  if (credentials) {
    write(join(root, CREDENTIALS_FILE), credentialsText(credentials), PRIVATE_MODE);
  }
  if (newPolicy) write(newPolicy.path, newPolicy.text, newPolicy.mode);
  const command = join(root, COMMAND);
  const isElsewhere = existsSync(join(root, 'usr/bin/modreg')) || isThere(command);
  if (!isElsewhere) {
    makeFolders(dirname(command));
    symlinkSync(commandIn(home), command);
  }
  const unit = join(root, UNIT);
  write(
    unit,
    unitText({ home, launcher: join(home, 'agent/launch'), run: [machine, ...options] }),
    UNIT_MODE,
  );
  run('systemctl', ['daemon-reload']);
  run('systemctl', ['--quiet', 'enable', SERVICE]);
  if (start) run('systemctl', ['restart', SERVICE]);
  return { unit, isStarted: start && existsSync(machine), machine };
}

/** A dangling link counts. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The arguments of useradd. */
const USER =
  '--system --user-group --no-create-home --shell /usr/sbin/nologin modreg-modules'.split(' ');

/** The program that runs now: `bin/modreg`, which starts `bin/modreg.mjs`. */
function ownProgram(): string {
  const [, script = ''] = process.argv;
  return join(dirname(realpathSync(script)), 'modreg');
}

function write(path: string, text: string, mode: number): void {
  makeFolders(dirname(path));
  replaceFile(path, text, { mode });
}
