/*
 * Installs, upgrades, removes and purges the Debian package in a container with a systemd of its own: `npm run test:debian`.
 * It needs root and systemd-nspawn (`apt-get install systemd-container`). Prints each step with its seconds.
 */
import { deepStrictEqual, match } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { optionsOf } from '../options.ts';
import { Container } from './container.ts';
import { seconds, step } from './steps.ts';

const ROOT = join(import.meta.dirname, '../..');
const { values } = optionsOf(
  { options: { compressed: { type: 'boolean', default: false } } },
  'Tests the Debian package in a container.\n  --compressed  as it is released; building it takes minutes',
);

const UNITS = 'modreg-agent modreg-registry';
const REGISTRY = 'runuser -u modreg-registry -- env PLATFORM_HOME=/var/lib/modreg-registry';
/** Without PLATFORM_HOME: root's commands are about the agent of the package. */
const STATUS = 'modreg agent status';
/** The processes of modreg, and not the shell that searches. */
const PROCESSES = "pgrep -f 'modreg/bin/nod[e]' || true";
/** The user and the folder of each program that may be one of a module. */
const PROGRAMS =
  'for pid in $(pgrep -x sleep); do echo "$(stat -c %U /proc/$pid) $(readlink /proc/$pid/cwd)"; done';
const MACHINE = {
  modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' }],
};
/** Two modules' processes and the agent's end within this time, or something hangs. */
const PATIENCE_MS = 30_000;
/** The first round begins after a random part of half a minute, and a busy machine takes longer for the rest. */
const FIRST_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'modreg-packages-'));
const container = new Container();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void container.stop().finally(() => process.exit(1)));
}
try {
  const earlier = built('0.1.0~test');
  const current = built();
  prepare(earlier, current);
  await step('installs and purges without systemd', withoutSystemd);
  await step('boots', async () => container.boot());
  const start = performance.now();
  await step('installs, and starts nothing', async () => install(earlier));
  await step('runs a registry', runRegistry);
  await step('runs a module', runModule);
  console.log(`from the installation to a supervised module: ${seconds(start)} s`);
  await step('starts the agent again after SIGKILL', killAgent);
  await step('backs the registry up', backUp);
  await step('upgrades, and restarts what runs', async () => upgrade(current));
  await step('is downgraded and upgraded while it is stopped', async () =>
    downgrade(earlier, current),
  );
  await step('is removed, and keeps its state', remove);
  await step('is installed again, and goes on', async () => installAgain(current));
  await step('is purged, and leaves nothing', purge);
} finally {
  await container.stop();
  rmSync(folder, { recursive: true });
}

function built(version?: string): string {
  const build = [join(import.meta.dirname, 'build.ts'), '--out', folder];
  if (version !== undefined) build.push('--version', version);
  if (!values.compressed) build.push('--fast');
  const printed = execFileSync(process.execPath, build, { encoding: 'utf8' });
  return printed.slice(0, printed.lastIndexOf(': '));
}

/** Copies to the container what it needs: packages of modreg and of a module, and the documents of the agent. */
function prepare(...packages: readonly string[]): void {
  const target = join(container.root, 'srv/packages');
  mkdirSync(target, { recursive: true });
  // In images of Docker it forbids packages to start and restart services.
  rmSync(join(container.root, 'usr/sbin/policy-rc.d'), { force: true });
  for (const file of packages) copyFileSync(file, join(target, basename(file)));
  execFileSync('tar', ['czf', join(target, 'lidar.tgz'), '-C', join(ROOT, 'examples/module'), '.']);
  const policy = {
    registry: 'http://127.0.0.1:4870',
    ready_timeout: '2s',
    probation: '1s',
    restart_cooldown: '0s',
  };
  writeFileSync(join(target, 'machine.json'), JSON.stringify(MACHINE));
  writeFileSync(join(target, 'policy.json'), JSON.stringify(policy));
}

function withoutSystemd(): void {
  const script = `
    test ! -e /run/systemd/system
    dpkg --install /srv/packages/modreg_0.1.0~test_*.deb
    DPKG_MAINTSCRIPT_PACKAGE=modreg /var/lib/dpkg/info/modreg.postinst configure
    modreg version
    dpkg --remove modreg
    test -d /var/lib/modreg-registry
    dpkg --purge modreg`;
  execFileSync('chroot', [container.root, 'sh', '-ec', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  deepStrictEqual(leftovers(), []);
}

async function apt(action: string): Promise<void> {
  await container.sh(`DEBIAN_FRONTEND=noninteractive apt-get -q -y ${action} 2>&1`);
}

async function install(file: string): Promise<void> {
  await apt(`install --no-install-recommends /srv/packages/${basename(file)}`);
  deepStrictEqual(
    await container.sh(`systemctl is-enabled ${UNITS} || true`),
    'disabled\ndisabled',
  );
  deepStrictEqual(await container.sh(`systemctl is-active ${UNITS} || true`), 'inactive\ninactive');
  const state = 'stat -c "%U %a %n" /etc/modreg /var/lib/modreg /var/lib/modreg-registry';
  deepStrictEqual(
    await container.sh(state),
    [
      'root 755 /etc/modreg',
      'root 711 /var/lib/modreg',
      'modreg-registry 750 /var/lib/modreg-registry',
    ].join('\n'),
  );
  match(await container.sh('man -w modreg-registry-publish'), /modreg-registry-publish\.1\.gz$/);
}

async function publish(version: string): Promise<void> {
  const upload = '--upload /srv/packages/lidar.tgz --create';
  await container.sh(`${REGISTRY} modreg registry publish acme:lidar ${version} ${upload}`);
}

async function runRegistry(): Promise<void> {
  await container.sh('systemctl enable --now modreg-registry');
  await publish('1.0.0');
  const asRoot = 'modreg registry publish acme:lidar 9.9.9 2>&1 || true; ls /var/lib/modreg';
  match(
    await container.sh(asRoot),
    /the service modreg-registry has its own in [^]*--db names another file$/,
  );
  const versions = 'modreg resolve acme:lidar latest --registry http://127.0.0.1:4870';
  await container.until(versions, /^1\.0\.0$/m, PATIENCE_MS);
}

async function runModule(): Promise<void> {
  await container.sh('cp /srv/packages/*.json /etc/modreg; systemctl enable --now modreg-agent');
  await container.until(STATUS, /lidar +1\.0\.0 +running/, FIRST_MS);
  deepStrictEqual(await startedModules(), ['modreg-modules 1.0.0']);
}

/** The user and the version of each process of the module, once its script has started its program. */
async function startedModules(): Promise<readonly string[]> {
  await container.until(PROGRAMS, /\/acme\/lidar\//, PATIENCE_MS);
  return await modules();
}

/** The same at once. */
async function modules(): Promise<readonly string[]> {
  const printed = await container.sh(PROGRAMS);
  const lines = printed.split('\n').filter((line) => line.includes('/acme/lidar/'));
  return lines.map((line) => line.replace(/ .*\/acme\/lidar\//, ' ').replace(/-[^-]*$/, ''));
}

async function processOf(unit: string): Promise<string> {
  return await container.sh(`systemctl show --property MainPID --value ${unit}`);
}

/** As docs/back-up.md says. */
async function backUp(): Promise<void> {
  await container.sh(`install -d -o modreg-registry /var/backups/registry
    ${REGISTRY} modreg registry backup /var/backups/registry/monday
    ${REGISTRY} modreg registry verify /var/backups/registry/monday`);
}

async function killAgent(): Promise<void> {
  const before = await processOf('modreg-agent');
  await container.sh(`kill -KILL ${before}`);
  await container.until(
    'systemctl show --property MainPID --value modreg-agent',
    anotherThan(before),
    PATIENCE_MS,
  );
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  deepStrictEqual(await startedModules(), ['modreg-modules 1.0.0']);
}

/** Matches the pid of a process that runs, and is another one. */
function anotherThan(pid: string): RegExp {
  return new RegExp(`^(?!0$|${pid}$)\\d+$`);
}

async function upgrade(file: string): Promise<void> {
  const before = await processOf('modreg-agent');
  const registry = await processOf('modreg-registry');
  await apt(`install --no-install-recommends /srv/packages/${basename(file)}`);
  match(await processOf('modreg-agent'), anotherThan(before));
  match(await processOf('modreg-registry'), anotherThan(registry));
  await container.until(STATUS, /lidar +1\.0\.0 +running/, PATIENCE_MS);
  deepStrictEqual(await startedModules(), ['modreg-modules 1.0.0']);
  await publish('1.1.0');
  await container.until(STATUS, /lidar +1\.1\.0 +running/, FIRST_MS);
}

/** As docs/downgrade.md says, and forward again: what an operator has stopped stays so. */
async function downgrade(earlier: string, current: string): Promise<void> {
  await container.sh(`systemctl stop ${UNITS}`);
  deepStrictEqual(await modules(), []);
  for (const file of [earlier, current]) {
    await apt(`install --allow-downgrades /srv/packages/${basename(file)}`);
    deepStrictEqual(await processOf('modreg-agent'), '0');
  }
  await container.sh(`systemctl start ${UNITS}`);
  await container.until(STATUS, /lidar +1\.1\.0 +running/, PATIENCE_MS);
}

async function remove(): Promise<void> {
  await apt('remove modreg');
  deepStrictEqual(await modules(), []);
  deepStrictEqual(await container.sh(PROCESSES), '');
  await container.sh(
    'ls /etc/modreg/machine.json /var/lib/modreg/machine.db /var/lib/modreg-registry/registry.db',
  );
}

async function installAgain(file: string): Promise<void> {
  await apt(`install --no-install-recommends /srv/packages/${basename(file)}`);
  deepStrictEqual(await container.sh(`systemctl is-enabled ${UNITS}`), 'enabled\nenabled');
  await container.sh(`systemctl start ${UNITS}`);
  await container.until(STATUS, /lidar +1\.1\.0 +running/, PATIENCE_MS);
  await publish('1.2.0');
  const versions = 'modreg resolve acme:lidar latest --registry http://127.0.0.1:4870';
  await container.until(versions, /^1\.2\.0$/m, PATIENCE_MS);
}

async function purge(): Promise<void> {
  await apt('purge modreg');
  deepStrictEqual(await modules(), []);
  deepStrictEqual(await container.sh(PROCESSES), '');
  deepStrictEqual(
    await container.sh('systemctl list-units --all --plain --no-legend "modreg*"'),
    '',
  );
  deepStrictEqual(await container.sh('systemctl list-units --failed --plain --no-legend'), '');
  deepStrictEqual(leftovers(), []);
}

/** The files of modreg in the container, besides the packages and compiled code in /tmp. */
function leftovers(): string[] {
  const others = ['./srv/packages', './tmp'].flatMap((path) => ['-path', path, '-prune', '-o']);
  const search = ['.', ...others, '-iname', '*modreg*', '-not', '-type', 'c', '-print'];
  const found = execFileSync('find', search, { cwd: container.written, encoding: 'utf8' });
  return found.split('\n').filter((line) => line !== '');
}
