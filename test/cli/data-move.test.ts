import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { openForPoller } from '../../src/store/index.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { claimed } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { logged } from '../support/machine-home.ts';

const RUNS = {
  phase: 'stable',
  current: { version: '1.0.0', root: '/p/1.0.0' },
  previous: undefined,
  settled: undefined,
} as const;

/** The home of a machine that is called rover-1 now, on which lidar and arm run, and front ran; with these files of data. */
function homeWith(...paths: readonly string[]): string {
  const home = temporaryFolder();
  const file = openForPoller(`${home}/machine.db`);
  const rows = ['lidar', 'arm'].map((name) => logged(name, { moduleId: `acme:${name}` }));
  file.state.log([...rows, logged('platform-agent')], { at: 1, trouble: undefined });
  for (const name of ['lidar', 'front'])
    noteActivation(file, name, { moduleId: moduleId('acme:lidar'), activation: RUNS });
  file.close();
  for (const path of paths) {
    mkdirSync(dirname(`${home}/module-data/${path}`), { recursive: true });
    writeFileSync(`${home}/module-data/${path}`, '42');
  }
  return home;
}

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

/** What modreg says on this machine, with `HOME` instead of its home. */
async function said(home: string, ...args: readonly string[]): Promise<Answer> {
  const variables = { PLATFORM_HOME: home, PLATFORM_PART_ID: 'rover-1' };
  const { stdout, stderr, exit } = await inProcess(args, variables);
  const short = (text: string): string => text.replaceAll(home, 'HOME');
  return { stdout: short(stdout), stderr: short(stderr), exit };
}

describe('[T341] modreg data move', () => {
  it.each([
    ['under another id of the machine', 'local/lidar', 'lidar'],
    ['under another name', 'rover-1/front', 'acme:lidar'],
  ])('gives an entry what it kept %s', async (_, folder, named) => {
    const home = homeWith(`${folder}/maps/a`);
    mkdirSync(`${home}/module-data/rover-1/lidar`, { recursive: true });
    expect(await said(home, 'data', 'move', folder, named)).toEqual({
      stdout: `lidar: HOME/module-data/${folder} is HOME/module-data/rover-1/lidar now\n`,
      stderr: '',
      exit: 0,
    });
    expect(readFileSync(`${home}/module-data/rover-1/lidar/maps/a`, 'utf8')).toBe('42');
    expect(existsSync(`${home}/module-data/${folder}`)).toBe(false);
  });

  it('answers in JSON', async () => {
    const { stdout } = await said(
      homeWith('local/lidar/a'),
      'data',
      'move',
      'local/lidar',
      'lidar',
      '--json',
    );
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/data-move@1',
      name: 'lidar',
      from: 'HOME/module-data/local/lidar',
      to: 'HOME/module-data/rover-1/lidar',
    });
  });

  it.each<[string, readonly string[], string, string]>([
    [
      'a folder that is not there',
      ['local/lidar', 'lidar'],
      '',
      '"HOME/module-data/local/lidar" is not there, expected a folder with data; nothing was moved',
    ],
    [
      'a file',
      ['local/lidar', 'lidar'],
      'local/lidar',
      '"HOME/module-data/local/lidar" is not a folder, expected a folder with data; nothing was moved',
    ],
    [
      'a folder that the module uses',
      ['rover-1/lidar', 'lidar'],
      'rover-1/lidar/a',
      '"HOME/module-data/rover-1/lidar" is the folder that it uses; nothing was moved',
    ],
    ...['lidar', '/etc/lidar', '../lidar', 'local/..', 'local/lidar/maps', ''].map(
      (folder): [string, readonly string[], string, string] => [
        `the folder ${JSON.stringify(folder)}`,
        [folder, 'lidar'],
        'local/lidar/a',
        `found ${JSON.stringify(folder)}, expected a folder below module-data as modreg doctor names it, such as local/lidar; nothing was moved`,
      ],
    ),
    [
      'a module that the machine does not have',
      ['local/lidar', 'lidra'],
      'local/lidar/a',
      '"lidra" names no module or subsystem that this machine decides on',
    ],
    [
      'a subsystem',
      ['local/lidar', 'platform-agent'],
      'local/lidar/a',
      '"platform-agent" names no module or subsystem that this machine decides on',
    ],
  ])('refuses %s, and moves nothing', async (_, args, path, message) => {
    const home = homeWith(...(path === '' ? [] : [path]));
    const { stdout, stderr, exit } = await said(home, 'data', 'move', ...args);
    expect([stdout, stderr.includes(`: ${message}`) ? message : stderr]).toEqual(['', message]);
    expect(exit === 0).toBe(false);
    expect(path === '' || existsSync(`${home}/module-data/${path}`)).toBe(true);
  });

  it('refuses a target in which something is, or that is a link', async () => {
    const home = homeWith('local/lidar/a', 'rover-1/lidar/b', 'local/arm/a');
    expect((await said(home, 'data', 'move', 'local/lidar', 'lidar')).stderr).toContain(
      '"HOME/module-data/rover-1/lidar" is not empty: it has 1 files or folders; nothing was moved',
    );
    symlinkSync(`${home}/module-data/rover-1/lidar`, `${home}/module-data/rover-1/arm`);
    expect((await said(home, 'data', 'move', 'local/arm', 'arm')).stderr).toContain(
      '"HOME/module-data/rover-1/arm" is not a folder; nothing was moved',
    );
    expect(existsSync(`${home}/module-data/local/lidar/a`)).toBe(true);
  });

  it('refuses while an agent runs', async () => {
    const home = homeWith('local/lidar/a');
    const file = claimed(`${home}/machine.db`);
    const { stderr, exit } = await said(home, 'data', 'move', 'local/lidar', 'lidar');
    expect([stderr, exit]).toEqual([
      'error[LOCKED]: an agent or a poller of this machine runs, and its modules use their data; nothing was moved\nhint: end it first (systemctl stop platform-agent), and start it again afterwards\n',
      70,
    ]);
    file.close();
    expect((await said(home, 'data', 'move', 'local/lidar', 'lidar')).exit).toBe(0);
  });

  it('refuses another file system', async ({ skip }) => {
    const home = homeWith('local/lidar/a');
    const other = `${home}/module-data/rover-1`;
    mkdirSync(other);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', other]);
    if (status !== 0) return skip('this process may not mount a small disk');
    onTestFinished(() => void spawnSync('umount', ['--lazy', other]));
    expect((await said(home, 'data', 'move', 'local/lidar', 'lidar')).stderr).toContain(
      'is on another file system than "HOME/module-data/local/lidar", and only a move within one is complete or not made at all; nothing was moved',
    );
    expect(existsSync(`${home}/module-data/local/lidar/a`)).toBe(true);
  });
});

const WORDS =
  'lidar: it keeps its data in HOME/module-data/rover-1/lidar now, and module-data/local/lidar and module-data/rover-1/front have what it kept before; nothing is moved by itself';

/** Of a machine whose lidar has data in two folders that it used before. */
function homeOfBefore(): string {
  return homeWith('local/lidar/a', 'rover-1/front/a', 'rover-1/lidar/b');
}

describe('[T341] data that a module kept elsewhere', () => {
  it.each([['status'], ['agent status']])('is named by modreg %s', async (command) => {
    const { stderr } = await said(homeOfBefore(), ...command.split(' '));
    expect(stderr).toContain(`note: ${WORDS}; modreg doctor says what to do\n`);
  });

  it('is named by modreg doctor, with what to do', async () => {
    const { stdout } = await said(homeOfBefore(), 'doctor');
    expect(stdout).toContain(`warning  modules    ${WORDS}\n`);
    expect(stdout).toContain(
      'fix: end the agent, modreg data move local/lidar lidar, or modreg data move rover-1/front lidar, and start the agent; or remove what nothing needs\n',
    );
  });

  it('is not named once it was moved', async () => {
    const machine = homeWith('local/lidar/a');
    await said(machine, 'data', 'move', 'local/lidar', 'lidar');
    expect((await said(machine, 'status')).stderr).toBe('');
    expect((await said(machine, 'doctor')).stdout).not.toContain('it keeps its data');
  });
});
