import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installUnitCommand } from '../../src/cli/agent/systemd/install-unit-command.ts';
import { uninstallUnitCommand } from '../../src/cli/agent/systemd/uninstall-unit-command.ts';
import { ROOT } from '../support/modreg.ts';
import {
  added,
  CANARY,
  CREDENTIALS,
  host,
  KEYS,
  said,
  UNIT,
  world,
} from './support/systemd-host.ts';

describe('modreg agent install-unit', () => {
  it('writes the unit and the launcher, creates the user of modules, and enables the service', () => {
    const on = host();
    const done = installUnitCommand(on.machine, { start: true }, world(), on);
    expect(said(done, on)).toEqual([
      `@/${UNIT} is written and enabled, and the agent is started`,
      'note: journalctl -u platform-agent shows what it prints',
    ]);
    expect(added(on)).toEqual([
      UNIT,
      'usr/local/bin/modreg',
      'var/lib/modreg/agent/first',
      'var/lib/modreg/agent/launch',
      'var/lib/modreg/agent/modreg',
    ]);
    const program = /^\/\S+\/modreg version$/;
    expect(on.commands.map((line) => line.replace(program, 'PROGRAM version'))).toEqual([
      'systemctl --quiet is-enabled modreg-agent.service',
      'useradd --system --user-group --no-create-home --shell /usr/sbin/nologin modreg-modules',
      'PROGRAM version',
      'systemctl daemon-reload',
      'systemctl --quiet enable platform-agent',
      'systemctl restart platform-agent',
    ]);
    const unit = readFileSync(join(on.root, UNIT), 'utf8').replaceAll(on.root, '@');
    expect(unit).toContain(
      '\nExecStart=/var/lib/modreg/agent/launch agent run @/etc/modreg/machine.json --interval 30s\n',
    );
    expect(unit).toContain('\nEnvironment=PLATFORM_HOME=/var/lib/modreg\n');
  });

  it('leaves the launcher as it is if the program does not run', () => {
    const on = host(/is-enabled|modreg version/);
    const launcher = join(on.root, 'var/lib/modreg/agent');
    mkdirSync(launcher, { recursive: true });
    symlinkSync('/opt/works', join(launcher, 'first'));
    expect(said(installUnitCommand(on.machine, {}, world(), on), on)).toEqual([
      'error[STATE_WRITE]: the service cannot be installed: it failed',
    ]);
    expect(readlinkSync(join(launcher, 'first'))).toBe('/opt/works');
    expect(existsSync(join(on.root, UNIT))).toBe(false);
  });

  it('can be repeated, with other options and another home', () => {
    const on = host(/is-enabled/, {
      'etc/passwd': 'modreg-modules:x:999:999::/:/bin/false\n',
      'etc/modreg/other.json': '{}',
    });
    installUnitCommand(on.machine, {}, world(), on);
    on.commands.length = 0;
    const policy = join(on.root, 'etc/modreg/other.json');
    const options = { policy, registry: 'https://registry.example', interval: '10s' };
    const home = { PLATFORM_HOME: '/srv/robot' };
    const done = installUnitCommand(on.machine, options, world(home), on);
    expect(said(done, on)[0]).toBe(
      `@/${UNIT} is written and enabled: systemctl start platform-agent starts the agent`,
    );
    expect(on.commands).not.toContain('systemctl restart platform-agent');
    expect(on.commands.join()).not.toContain('useradd');
    expect(readFileSync(join(on.root, UNIT), 'utf8').replaceAll(on.root, '@')).toContain(
      '\nExecStart=/srv/robot/agent/launch agent run @/etc/modreg/machine.json --policy @/etc/modreg/other.json --registry https://registry.example --interval 10s\n',
    );
  });

  it('[T850] says that its home is in a place that takes no folders', () => {
    const on = host();
    symlinkSync('/proc', join(on.root, 'srv'));
    const home = { PLATFORM_HOME: '/srv/modreg/home' };
    expect(said(installUnitCommand(on.machine, {}, world(home), on), on)).toEqual([
      "error[STATE_WRITE]: the service cannot be installed: ENOENT: no such file or directory, mkdir '@/srv/modreg'",
    ]);
    expect(existsSync(join(on.root, UNIT))).toBe(false);
  });

  it('has all that the unit of the Debian package has, besides the way it is started', () => {
    const on = host();
    installUnitCommand(on.machine, {}, world(), on);
    const packaged = readFileSync(`${ROOT}tools/debian/modreg-agent.service`, 'utf8').split('\n');
    const own = readFileSync(join(on.root, UNIT), 'utf8').split('\n');
    expect(packaged.filter((line) => !own.includes(line))).toEqual([
      'Documentation=man:modreg-agent-run(1)',
      'ConditionPathExists=/etc/modreg/machine.json',
      'Type=exec',
      'ExecStart=/usr/bin/modreg agent run /etc/modreg/machine.json --interval 30s',
      'StateDirectory=modreg',
      'StateDirectoryMode=0711',
    ]);
  });

  it('leaves a command alone that the machine has', () => {
    const on = host();
    const command = join(on.root, 'usr/local/bin/modreg');
    mkdirSync(join(command, '..'), { recursive: true });
    symlinkSync('/opt/modreg/bin/modreg', command);
    installUnitCommand(on.machine, {}, world(), on);
    uninstallUnitCommand({ purge: true }, world(), on);
    expect(readlinkSync(command)).toBe('/opt/modreg/bin/modreg');
  });

  it('writes the credentials of the environment to a private file, with the registry that gets the key', () => {
    const on = host(/is-enabled/, {
      'etc/modreg/policy.json': '{"registry": "https://registry.example/robots"}',
      // What an interrupted run left.
      [`${CREDENTIALS}.new`]: 'x',
    });
    const done = installUnitCommand(on.machine, {}, world(KEYS), on);
    const path = join(on.root, CREDENTIALS);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      api_key_id: 't1',
      api_key: CANARY,
      part_id: 'robot-1',
      registry: 'https://registry.example',
      written_by: 'modreg agent install-unit',
    });
    const told = [...said(done, on), ...on.commands, readFileSync(join(on.root, UNIT), 'utf8')];
    expect(told.join('\n')).not.toContain(CANARY);
  });

  it('waits for a machine config that does not exist yet', () => {
    const on = host();
    const path = join(on.root, 'etc/modreg/later.json');
    expect(said(installUnitCommand(path, { start: true }, world(), on), on)).toEqual([
      `@/${UNIT} is written and enabled: systemctl start platform-agent starts the agent`,
      'note: the service waits for "@/etc/modreg/later.json": write it, then systemctl start platform-agent',
    ]);
  });

  it.each([
    [
      'another system',
      { platform: 'darwin/arm64' },
      {},
      'error[USAGE]: modreg agent install-unit needs Linux, and this is darwin/arm64',
    ],
    [
      'another user',
      {},
      { uid: 1000 },
      'error[USAGE]: modreg agent install-unit changes the system: run it as root',
    ],
    [
      'another service manager',
      {},
      { root: '/nonexistent' },
      'error[USAGE]: modreg agent install-unit needs systemd, which does not run here',
    ],
    [
      'a home with a space',
      { environment: { PLATFORM_HOME: '/srv/my robot' } },
      {},
      'error[USAGE]: a unit cannot name "/srv/my robot": expected letters, digits and . / @ + , : _ - = & ? only',
    ],
    [
      'a key without its id',
      { environment: { PLATFORM_API_KEY: CANARY } },
      {},
      'error[USAGE]: PLATFORM_API_KEY_ID is missing or wrong, expected the id of that token, printable ASCII without spaces',
    ],
  ])('refuses %s, and changes nothing', (_what, own, other, message) => {
    const on = host();
    const done = installUnitCommand(on.machine, {}, { ...world(), ...own }, { ...on, ...other });
    expect(said(done, on)[0]).toBe(message);
    expect(added(on)).toEqual([]);
  });

  it('refuses a unit that it did not write, a wrong document, and the unit of the Debian package', () => {
    const foreign = host(/is-enabled/, { [UNIT]: '[Unit]\n' });
    expect(said(installUnitCommand(foreign.machine, {}, world(), foreign), foreign)[0]).toBe(
      `error[USAGE]: "@/${UNIT}" exists, and modreg did not write it`,
    );
    const wrong = host(/is-enabled/, { 'etc/modreg/machine.json': '{"modules": 1}' });
    expect(said(installUnitCommand(wrong.machine, {}, world(), wrong), wrong)[0]).toMatch(
      /^error\[BAD_VALUE\]: the machine config /,
    );
    const packaged = host(/nothing/);
    expect(said(installUnitCommand(packaged.machine, {}, world(), packaged), packaged)).toEqual([
      'error[USAGE]: modreg-agent.service of the Debian package runs the agent of this machine',
      'hint: systemctl disable --now modreg-agent.service stops and disables it',
    ]);
    expect([...added(wrong), ...added(packaged)]).toEqual([]);
  });

  it('refuses a credentials file that others can read', () => {
    const on = host(/is-enabled/, { [CREDENTIALS]: JSON.stringify({ api_key: CANARY }) });
    chmodSync(join(on.root, CREDENTIALS), 0o644);
    expect(said(installUnitCommand(on.machine, {}, world(), on), on)[0]).toBe(
      `error[PERMISSIONS]: the credentials file "@/${CREDENTIALS}" has mode 0644, and others can read it`,
    );
  });

  it('says what systemd answered, and which step failed', () => {
    const on = host(/is-enabled|daemon-reload/);
    expect(said(installUnitCommand(on.machine, {}, world(), on), on)).toEqual([
      'error[STATE_WRITE]: the service cannot be installed: it failed',
    ]);
  });
});
