import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSystemCommand, type AgentSystemOptions } from '../../src/cli/agent/system-command.ts';
import { exitCodeOf, formatProblem } from '../../src/base/problem.ts';
import { claimed } from '../support/claimed.ts';
import { formsOf } from '../support/canary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { quietWorld } from '../support/quiet-world.ts';
import {
  HOTSPOT,
  JOURNAL,
  systemSite,
  UPGRADES,
  YARD,
  type SystemSite,
} from '../support/system-site.ts';

const YARD_KEY = 'c4nary psk = of yard';
const OTHER_KEY = 'another c4nary psk';
const HOTSPOT_KEY = 'c4nary of zzradio';
const LIMITS = { logging: { system_max_use: '16M' } };

function machineFile(provisioning: object, syscfg: object, mode = 0o600): string {
  const agent = {
    'agent-provisioning': { attributes: provisioning },
    'agent-syscfg': { attributes: syscfg },
  };
  const folder = temporaryFolder();
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ agent }), { mode });
  return `${folder}/machine.json`;
}

function yardWith(psk: string): object {
  return { roaming_mode: true, hotspot_password: HOTSPOT_KEY, networks: [{ ssid: 'yard', psk }] };
}

function manufacturerFile(attributes: object): string {
  return JSON.stringify({ 'agent-provisioning': { attributes } });
}

/** What the command prints, and its exit code. */
async function printed(
  site: SystemSite,
  machine: string,
  options: AgentSystemOptions = {},
): Promise<{ readonly lines: string[]; readonly exit: number }> {
  const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: site.home } };
  const outcome = await agentSystemCommand(machine, options, world, site.host);
  const lines = [...outcome.answer, ...outcome.problems.flatMap(formatProblem)];
  return {
    lines: lines.map((line) =>
      line.replaceAll(dirname(machine), '@').replaceAll(site.host.root, '^'),
    ),
    exit: exitCodeOf(outcome),
  };
}

const DRY = { dryRun: true } as const;
const HEAD = [
  '+# Written by modreg from the agent configuration of this machine.',
  '+# If you change it, modreg leaves it alone until you delete it.',
];

describe('modreg agent system', () => {
  it('--dry-run shows each change as a diff, and changes nothing', async () => {
    const site = systemSite();
    site.write(JOURNAL, '[Journal]\nSystemMaxUse=1G\n');
    const machine = machineFile({}, { ...LIMITS, upgrades: { type: 'all' } });
    expect(await printed(site, machine, DRY)).toEqual({
      exit: 0,
      lines: [
        `--- ${JOURNAL}`,
        `+++ ${JOURNAL}`,
        '@@ -1,2 +1,4 @@',
        ...HEAD,
        ' [Journal]',
        '-SystemMaxUse=1G',
        '+SystemMaxUse=16777216',
        '--- /dev/null',
        `+++ ${UPGRADES}`,
        '@@ -0,0 +1,5 @@',
        ...HEAD.map((line) => line.replace('#', '//')),
        '+APT::Periodic::Update-Package-Lists "1";',
        '+APT::Periodic::Unattended-Upgrade "1";',
        '+Unattended-Upgrade::Origins-Pattern { "origin=*"; };',
      ],
    });
    expect([site.read(JOURNAL), site.read(UPGRADES), site.calls()]).toEqual([
      '[Journal]\nSystemMaxUse=1G\n',
      undefined,
      [],
    ]);
  });

  it('[T64] masks keys, also those that change', async () => {
    const site = systemSite();
    await printed(site, machineFile(yardWith(YARD_KEY), {}));
    const machine = machineFile(yardWith(OTHER_KEY), {});
    const { lines } = await printed(site, machine, DRY);
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
      `--- ${YARD}`,
      `+++ ${YARD}`,
      '@@ -1,22 +1,22 @@',
      '-psk=********',
      '+psk=********',
      `${HOTSPOT}: unchanged`,
    ]);
    const outputs = [
      ...lines,
      ...(await printed(site, machine, { dryRun: true, json: true })).lines,
      ...(await printed(site, machine)).lines,
      ...(await printed(site, machineFile({}, {}), DRY)).lines,
      readFileSync(`${site.home}/system-files.json`, 'utf8'),
    ].join('\n');
    const secrets = [YARD_KEY, OTHER_KEY, HOTSPOT_KEY].flatMap(formsOf);
    expect(secrets.filter((form) => outputs.includes(form))).toEqual([]);
    expect(outputs).not.toContain('c4nary');
  });

  it('applies once, and shows what became of each file', async () => {
    const site = systemSite();
    const machine = machineFile({}, LIMITS);
    expect(await printed(site, machine)).toEqual({ exit: 0, lines: [`${JOURNAL}: written`] });
    expect(await printed(site, machine)).toEqual({ exit: 0, lines: [`${JOURNAL}: unchanged`] });
    site.write(JOURNAL, 'mine');
    const left = `${JOURNAL}: left alone: another program or person has edited it; delete the file to have modreg manage it again`;
    expect(await printed(site, machine, DRY)).toEqual({ exit: 0, lines: [left] });
    expect(await printed(site, machine)).toEqual({ exit: 0, lines: [left] });
  });

  it('shows what a restored file becomes', async () => {
    const site = systemSite();
    site.write(JOURNAL, 'before\n', 0o640);
    await printed(site, machineFile({}, LIMITS));
    const none = machineFile({}, {});
    const { lines } = await printed(site, none, DRY);
    expect(lines).toEqual([
      'old mode 644',
      'new mode 640',
      `--- ${JOURNAL}`,
      `+++ ${JOURNAL}`,
      '@@ -1,4 +1,1 @@',
      ...HEAD.map((line) => line.replace('+', '-')),
      '-[Journal]',
      '-SystemMaxUse=16777216',
      '+before',
    ]);
    expect(await printed(site, none)).toEqual({
      exit: 0,
      lines: [`${JOURNAL}: restored to what it was before modreg`],
    });
    expect(await printed(site, none)).toEqual({
      exit: 0,
      lines: ['the configuration has no settings of the system'],
    });
  });

  it('--json has the same for a program', async () => {
    const site = systemSite();
    const machine = machineFile({}, LIMITS);
    const json = async (options: AgentSystemOptions): Promise<unknown> =>
      JSON.parse(
        (await printed(site, machine, { ...options, json: true })).lines[0] ?? '',
      ) as unknown;
    const file = { path: JOURNAL, reason: null, diff: null };
    const document = { schema: 'modreg/agent-system@1', troubles: [] };
    const diff = expect.stringMatching(
      /^--- \/dev\/null\n(.*\n)+\+SystemMaxUse=16777216$/,
    ) as string;
    expect(await json(DRY)).toEqual({
      ...document,
      files: [{ ...file, state: 'would-change', diff }],
    });
    expect(await json({})).toEqual({ ...document, files: [{ ...file, state: 'written' }] });
    expect(await json(DRY)).toEqual({ ...document, files: [{ ...file, state: 'unchanged' }] });
  });

  it('[A20] exits with 1 and applies the rest if a setting cannot be applied', async () => {
    const site = systemSite();
    rmSync(`${site.host.root}/etc/apt`, { recursive: true });
    site.program('systemctl', 'exit 1');
    expect(await printed(site, machineFile({}, { ...LIMITS, upgrades: { type: 'all' } }))).toEqual({
      exit: 1,
      lines: [
        `${JOURNAL}: written`,
        `${UPGRADES}: not changed: there is no folder "/etc/apt"; is the program that reads it installed?`,
        `error[NOT_APPLIED]: ${UPGRADES}: not changed: there is no folder "/etc/apt"; is the program that reads it installed?`,
        'error[NOT_APPLIED]: a setting is written, but not in force: systemctl restart systemd-journald: it ended with exit code 1',
      ],
    });
  });

  it("uses the manufacturer's file, and changes nothing while it has errors", async () => {
    const site = systemSite();
    const attributes = { hotspot_password: HOTSPOT_KEY, networks: [{ ssid: 'yard' }] };
    site.write('/etc/modreg/provisioning.json', manufacturerFile(attributes), 0o600);
    expect((await printed(site, machineFile({}, {}))).lines).toEqual([`${HOTSPOT}: written`]);
    const own = machineFile({ roaming_mode: true, hotspot_password: '' }, LIMITS);
    site.write(
      '/etc/modreg/provisioning.json',
      manufacturerFile({ ...attributes, hotspot_password: '1234567' }),
      0o600,
    );
    const { lines, exit } = await printed(site, own);
    expect([exit, lines[0]]).toEqual([
      1,
      "error[BAD_VALUE]: the manufacturer's file ^/etc/modreg/provisioning.json has 1 error",
    ]);
    site.write('/etc/modreg/provisioning.json', manufacturerFile(attributes), 0o644);
    expect((await printed(site, own)).lines[1]).toContain(
      'PERMISSIONS /agent-provisioning/attributes/hotspot_password',
    );
    site.write('/etc/modreg/provisioning.json', manufacturerFile(attributes), 0o600);
    expect((await printed(site, own)).lines).toEqual([
      `${YARD}: written`,
      `${JOURNAL}: written`,
      `${HOTSPOT}: removed`,
    ]);
  });

  it('is refused while an agent runs, but not a dry run', async () => {
    const site = systemSite();
    const running = { ...site, home: dirname(claimed().path) };
    const machine = machineFile({}, LIMITS);
    expect(await printed(running, machine)).toEqual({
      exit: 70,
      lines: [
        'error[LOCKED]: an agent is running, and applies the settings of the system itself',
        'hint: --dry-run shows the changes',
      ],
    });
    expect((await printed(running, machine, DRY)).exit).toBe(0);
  });

  it('names a record that cannot be read', async () => {
    const site = systemSite();
    writeFileSync(`${site.home}/system-files.json`, 'x');
    const { lines, exit } = await printed(site, machineFile({}, LIMITS), DRY);
    const record = `"${site.home}/system-files.json" is not a record of modreg`;
    expect([exit, lines[0]]).toEqual([
      70,
      `error[STATE_UNREADABLE]: ${record}; move it away: then modreg no longer knows which files of the system are its own`,
    ]);
  });

  it('[T850] says that its home is in a place that takes no folders', async () => {
    const site = { ...systemSite(), home: '/proc/modreg/home' };
    expect(await printed(site, machineFile({}, LIMITS))).toEqual({
      exit: 70,
      lines: [
        'error[STATE_WRITE]: "/proc/modreg/home" cannot be created: ENOENT: no such file or directory, mkdir \'/proc/modreg\'',
      ],
    });
    expect(site.read(JOURNAL)).toBeUndefined();
  });

  it('is a command', async () => {
    const home = temporaryFolder();
    const { stdout, stderr, exit } = await inProcess(
      ['agent', 'system', machineFile({}, {}), '--dry-run'],
      { PLATFORM_HOME: home },
    );
    expect({ stdout, stderr, exit }).toEqual({
      stdout: 'the configuration has no settings of the system\n',
      stderr: '',
      exit: 0,
    });
  });
});
