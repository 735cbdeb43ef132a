/*
 * Installs the agent from a registry with curl, and lets it replace itself, fail, be killed and be removed, in a container with a
 * systemd of its own: `npm run test:systemd`. It needs root and systemd-nspawn. Prints each step with its seconds.
 */
import { deepStrictEqual, match } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALL_SCRIPT_SHA256 } from '../../src/server/routes/install-script.ts';
import { optionsOf } from '../options.ts';
import { Container } from './container.ts';
import { seconds, step } from './steps.ts';

const ROOT = join(import.meta.dirname, '../..');
optionsOf({ options: {} }, 'Tests the agent as a service of systemd in a container.');

const REGISTRY = 'http://127.0.0.1:4870';
/** The program of the registry. Machines have only what the script installs. */
const OPERATOR = 'PLATFORM_HOME=/srv/registry /srv/operator/bin/modreg';
const AGENT = 'PLATFORM_HOME=/var/lib/modreg modreg agent';
const STATUS = `${AGENT} status`;
const INSTALL = `curl -fsS ${REGISTRY}/install.sh | sh -s -- ${REGISTRY}`;
const KEY = 'modreg_canary-7c0ffee';
const MAIN_PID = 'systemctl show --property MainPID --value platform-agent';
const PATIENCE_MS = 60_000;
const MODULES = [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' }];
const SETTINGS = { logging: { system_max_use: '64M' }, upgrades: { type: 'all' } };
const MACHINE = { modules: MODULES, agent: { 'agent-syscfg': { attributes: SETTINGS } } };
/** When the system's journal was started last. */
const JOURNAL =
  'systemctl show --property ExecMainStartTimestampMonotonic --value systemd-journald';
const FRAGMENTS =
  '/etc/systemd/journald.conf.d/90-modreg.conf /etc/apt/apt.conf.d/52modreg-upgrades';
const POLICY = { registry: REGISTRY, ready_timeout: '2s', probation: '1s', restart_cooldown: '0s' };

const RESTART =
  /agent 0\.3\.0 is installed, and 0\.2\.0 runs: restart the agent \(systemctl restart platform-agent\)/;

const folder = mkdtempSync(join(tmpdir(), 'modreg-systemd-'));
const container = new Container();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void container.stop().finally(() => process.exit(1)));
}
const start = performance.now();
try {
  prepare();
  await step('boots', async () => container.boot());
  const journal = await container.sh(JOURNAL);
  await step('serves a registry', serve);
  const before = files();
  await step('refuses what it cannot install', refuse);
  await step('installs the agent with curl, and runs a module', install);
  await step('applies the settings of the system', async () => applySettings(journal));
  await step('keeps the key of the machine to itself', keepKey);
  await step('is installed again without a restart', installAgain);
  await step('installs a release of the agent, and says that a restart is required', update);
  await step('uses it after a restart', restart);
  await step(
    'goes back from a release that does not start, and does not install it again',
    fallBack,
  );
  await step('starts again after SIGKILL, without orphans', killAgent);
  await step('is restarted by the watchdog', starveWatchdog);
  console.log(await container.sh('systemd-analyze security --no-pager platform-agent | tail -1'));
  await step('undoes the settings of the system', undoSettings);
  await step('is removed, and leaves nothing', async () => uninstall(before));
  console.log(`${seconds(start)} s together`);
} finally {
  await container.stop();
  rmSync(folder, { recursive: true });
}

/** Packs a folder. */
function pack(from: string, to: string): void {
  execFileSync('tar', ['cf', to, '--owner=0', '--group=0', '-I', 'gzip -1', '-C', from, '.']);
}

/** Writes releases of the agent and a module to the container: 0.2.0 works, 0.3.0 too, and 0.4.0 says its version, but does not run. */
function prepare(): void {
  const target = join(container.root, 'srv');
  mkdirSync(target, { recursive: true });
  const build = ['--out', folder, '--version', '0.2.0', '--fast'];
  execFileSync(process.execPath, [join(import.meta.dirname, 'agent-package.ts'), ...build]);
  const operator = join(target, 'operator');
  mkdirSync(operator);
  const [arch] = process.arch === 'x64' ? ['amd64'] : ['arm64'];
  const built = join(folder, `modreg-agent_0.2.0_${arch}.tar.gz`);
  execFileSync('tar', ['xzf', built, '-C', operator]);
  copyFileSync(built, join(target, '0.2.0.tgz'));
  const tree = join(folder, 'tree');
  cpSync(operator, tree, { recursive: true });
  const version = (text: string): void =>
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ name: 'modreg', version: text }));
  version('0.3.0');
  pack(tree, join(target, '0.3.0.tgz'));
  version('0.4.0');
  writeFileSync(
    join(tree, 'bin/modreg'),
    '#!/bin/sh\n[ "$1" = version ] && exit 0\necho broken >&2\nexit 1\n',
  );
  pack(tree, join(target, '0.4.0.tgz'));
  pack(join(ROOT, 'examples/module'), join(target, 'lidar.tgz'));
  writeFileSync(join(target, 'key'), `${KEY}\n`);
  for (const [name, text] of Object.entries({ machine: MACHINE, policy: POLICY })) {
    writeFileSync(join(target, `${name}.json`), JSON.stringify(text));
  }
}

async function publish(id: string, version: string, file: string): Promise<void> {
  await container.sh(
    `${OPERATOR} registry publish ${id} ${version} --upload /srv/${file} --create`,
  );
}

async function serve(): Promise<void> {
  await container.sh('mkdir /srv/registry');
  await publish('acme:lidar', '1.0.0', 'lidar.tgz');
  await container.sh(
    `systemd-run --quiet --unit modreg-test-registry --setenv PLATFORM_HOME=/srv/registry /srv/operator/bin/modreg registry serve`,
  );
  await container.until(`curl -fsS ${REGISTRY}/healthz`, /ok/, PATIENCE_MS);
  const printed = await container.sh(`curl -fsS ${REGISTRY}/install.sh | sha256sum`);
  deepStrictEqual(printed, `${INSTALL_SCRIPT_SHA256}  -`);
}

/** The files that were written in the container, except those of the test and of other services, which write below /var. */
function files(): string[] {
  const others = ['./srv', './tmp', './run', './var/log', './dev', './proc', './sys', './root'];
  const prune = others.flatMap((path) => ['-path', path, '-prune', '-o']);
  const search = ['.', ...prune, '-not', '-type', 'd', '-print'];
  const found = execFileSync('find', search, { cwd: container.written, encoding: 'utf8' });
  const isOther = /^\.\/var\/(?!.*(?:modreg|platform))/;
  return found.split('\n').filter((line) => line !== '' && !isOther.test(line));
}

async function refused(script: string): Promise<string> {
  return await container.sh(`{ ${script}; } 2>&1 | tail -1`);
}

async function refuse(): Promise<void> {
  match(await refused(INSTALL), /has no agent for linux\/\w+: publish platform:agent there/);
  await publish('platform:agent', '0.2.0', '0.2.0.tgz');
  match(await refused(`setpriv --reuid nobody sh -c '${INSTALL}'`), /run it as root/);
  deepStrictEqual(
    await container.sh('ls -d /var/lib/modreg* /etc/modreg* 2>/dev/null || true'),
    '',
  );
}

async function install(): Promise<void> {
  await container.sh('mkdir /etc/modreg; cp /srv/machine.json /srv/policy.json /etc/modreg');
  const key = `PLATFORM_API_KEY_ID=t1 PLATFORM_API_KEY=${KEY} PLATFORM_PART_ID=robot-1`;
  const printed = await container.sh(`export ${key}; ${INSTALL} 2>&1`);
  match(printed, /^agent 0\.2\.0 is installed$/m);
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  deepStrictEqual(await container.sh('systemctl is-enabled platform-agent'), 'enabled');
  deepStrictEqual(await container.sh('ls /var/lib/modreg | grep install || true'), '');
}

async function applySettings(before: string): Promise<void> {
  await container.until(`cat ${FRAGMENTS}`, /SystemMaxUse=67108864[^]*origin=\*/, PATIENCE_MS);
  await container.until(JOURNAL, new RegExp(`^(?!${before}$)\\d+$`), PATIENCE_MS);
  match(
    await container.sh('apt-config dump Unattended-Upgrade'),
    /^Unattended-Upgrade::Origins-Pattern:: "origin=\*";$/m,
  );
}

/** What the config no longer asks for is removed in the next round. */
async function undoSettings(): Promise<void> {
  const config = JSON.stringify({ modules: MODULES });
  await container.sh(`printf '%s' '${config}' >/etc/modreg/machine.json`);
  await container.until(
    `ls ${FRAGMENTS}`,
    /90-modreg.*No such file[^]*52modreg.*No such file/,
    PATIENCE_MS,
  );
}

async function keepKey(): Promise<void> {
  const credentials = '/etc/modreg/credentials.json';
  deepStrictEqual(await container.sh(`stat -c '%U %a' ${credentials}`), 'root 600');
  match(await container.sh(`cat ${credentials}`), new RegExp(KEY));
  // The pattern is in a file, so that no command line has it.
  const found = await container.sh(`
    grep -lFf /srv/key /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null || true
    journalctl --no-pager | grep -Ff /srv/key || true
    grep -rlFf /srv/key /var/lib/modreg /etc --exclude credentials.json || true`);
  deepStrictEqual(found, '');
  match(await container.sh('ls /var/lib/modreg/module-data'), /^robot-1$/);
}

async function installAgain(): Promise<void> {
  const before = await container.sh(MAIN_PID);
  match(
    await container.sh(`${INSTALL} 2>&1`),
    /^agent 0\.2\.0 runs here, and installs its releases itself;/,
  );
  deepStrictEqual(await container.sh(MAIN_PID), before);
}

async function update(): Promise<void> {
  const before = await container.sh(`${MAIN_PID}; pgrep -x sleep`);
  await publish('platform:agent', '0.3.0', '0.3.0.tgz');
  await container.until(STATUS, RESTART, PATIENCE_MS);
  match(await container.sh(`${STATUS} --json`), RESTART);
  // Nothing was stopped for it.
  deepStrictEqual(await container.sh(`${MAIN_PID}; pgrep -x sleep`), before);
}

async function restart(): Promise<void> {
  await container.sh('systemctl restart platform-agent');
  await container.until(
    `${STATUS} --json`,
    /"running":"0\.3\.0","installed":"0\.3\.0"/,
    PATIENCE_MS,
  );
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  await container.until('ls /var/lib/modreg/agent', /^(?![^]*unconfirmed)/, PATIENCE_MS);
}

async function fallBack(): Promise<void> {
  await publish('platform:agent', '0.4.0', '0.4.0.tgz');
  await container.until(STATUS, /agent 0\.4\.0 is installed, and 0\.3\.0 runs/, PATIENCE_MS);
  await container.sh('systemctl restart platform-agent || true');
  await container.until(STATUS, /platform:agent +0\.4\.0 .*it was started 3 times/, PATIENCE_MS);
  match(await container.sh(`${STATUS} --json`), /"running":"0\.3\.0","installed":"0\.3\.0"/);
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
}

/** The processes of the module and of the agent. */
async function processes(): Promise<string> {
  return await container.sh(`${MAIN_PID}; pgrep -c -x sleep`);
}

async function killAgent(): Promise<void> {
  const before = await container.sh(MAIN_PID);
  await container.sh(`kill -KILL ${before}`);
  await container.until(MAIN_PID, new RegExp(`^(?!0$|${before}$)\\d+$`), PATIENCE_MS);
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  match(await processes(), /\n1$/);
}

/** The watchdog of the unit takes a minute, which is shortened here. */
async function starveWatchdog(): Promise<void> {
  const drop = '/run/systemd/system/platform-agent.service.d';
  await container.sh(`mkdir -p ${drop}; printf '[Service]\\nWatchdogSec=6\\n' >${drop}/test.conf
    systemctl daemon-reload; systemctl restart platform-agent`);
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  const before = await container.sh(MAIN_PID);
  // Longer than the watchdog: it is fed.
  await container.sh('sleep 8');
  deepStrictEqual(await container.sh(MAIN_PID), before);
  await container.sh(`kill -STOP ${before}`);
  await container.until(MAIN_PID, new RegExp(`^(?!0$|${before}$)\\d+$`), PATIENCE_MS);
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  match(await processes(), /\n1$/);
}

async function uninstall(before: readonly string[]): Promise<void> {
  // Its drop-in is of this test.
  await container.sh('rm -r /run/systemd/system/platform-agent.service.d');
  const printed = await container.sh(`${AGENT} uninstall-unit --purge 2>&1`);
  match(printed, /^removed \/etc\/systemd\/system\/platform-agent\.service$/m);
  deepStrictEqual(await container.sh('pgrep -x sleep || true'), '');
  deepStrictEqual(
    await container.sh('systemctl list-units --all --plain --no-legend "platform-agent*"'),
    '',
  );
  deepStrictEqual(
    await container.sh('ls /var/lib/modreg 2>&1 || true'),
    "ls: cannot access '/var/lib/modreg': No such file or directory",
  );
  // The user stays, because files elsewhere may belong to it, and the documents were not written by the agent.
  const own =
    /^\.\/etc\/(?:modreg\/(?:machine|policy)\.json|(?:passwd|group|shadow|gshadow|subuid|subgid|\.pwd\.lock)-?)$/;
  deepStrictEqual(
    files().filter((path) => !before.includes(path) && !own.test(path)),
    [],
  );
}
