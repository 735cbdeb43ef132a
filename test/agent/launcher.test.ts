import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  confirmStart,
  fallBackOf,
  forgetFallBack,
  forgiveStart,
  launchedPrograms,
  nextProgram,
  startNext,
  writeLauncher,
} from '../../src/agent/launcher/launcher-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lostWithPower } from '../support/on-disk.ts';

/** A home with a launcher, and programs that print their name, their arguments and what the launcher tells them. */
function launcherHome(): {
  readonly home: string;
  readonly program: (name: string) => string;
  readonly start: (path?: string) => string;
} {
  const home = temporaryFolder();
  const program = (name: string): string => {
    const path = join(home, name);
    writeFileSync(path, `#!/bin/sh\necho ${name} "$@" "\${MODREG_LAUNCHED##*/}"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const launcher = writeLauncher(home, program('first'));
  const start = (path = process.env['PATH']): string => {
    const { stdout, stderr, status } = spawnSync(launcher, ['run', 'a b'], {
      encoding: 'utf8',
      env: { PATH: path },
    });
    const printed = `${stdout}${stderr}`.replaceAll(home, '@').trim();
    return status === 0 ? printed : `${printed} (${status})`;
  };
  return { home, program, start };
}

/** A PATH whose `rm` and `mv` kill the shell that runs them after so many changes. */
function killedAfter(changes: number): string {
  const folder = temporaryFolder();
  const script = `#!/bin/sh
echo >>${folder}/changes
PATH=\${PATH#*:} \${0##*/} "$@"
[ "$(wc -l <${folder}/changes)" != ${changes} ] || kill -9 $PPID
`;
  for (const name of ['rm', 'mv']) {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
  return `${folder}:${process.env['PATH']}`;
}

const GAVE_UP =
  'the installed release of the agent is not started: it was started 3 times, and never stayed up';

describe('the launcher', () => {
  it('starts the program that wrote it, until a release is installed', () => {
    const { home, program, start } = launcherHome();
    expect([start(), nextProgram(home)]).toEqual(['first run a b first', undefined]);
    startNext(home, program('second'), program('first'));
    expect([start(), nextProgram(home)]).toEqual(['second run a b second', `${home}/second`]);
    const programs = ['second', 'first', 'first', 'first'].map((name) => `${home}/${name}`);
    expect(launchedPrograms(home)).toEqual(programs);
  });

  it('[A21] goes back from a release that did not stay up in three starts, and says so', () => {
    const { home, program, start } = launcherHome();
    startNext(home, program('second'), program('first'));
    confirmStart(home, `${home}/second`);
    startNext(home, program('third'), `${home}/second`);
    expect([start(), start(), start()]).toEqual(Array(3).fill('third run a b third'));
    expect(fallBackOf(home)).toBeUndefined();
    expect(start()).toBe(`second run a b second\n${GAVE_UP}`);
    expect(fallBackOf(home)).toEqual({
      program: `${home}/third`,
      reason: 'it was started 3 times, and never stayed up',
    });
    expect([start(), start(), start(), start()]).toEqual(Array(4).fill('second run a b second'));
    expect(readdirSync(join(home, 'agent')).toSorted()).toEqual([
      'current',
      'failed',
      'first',
      'launch',
      'modreg',
    ]);
    forgetFallBack(home);
    expect(fallBackOf(home)).toBeUndefined();
  });

  it.each([1, 2, 3, 4, 5])(
    '[A21] that is killed after its change %i blames no other release',
    (change) => {
      const { home, program, start } = launcherHome();
      startNext(home, program('second'), program('first'));
      confirmStart(home, `${home}/second`);
      startNext(home, program('third'), `${home}/second`);
      for (let count = 0; count < 3; count++) start();
      start(killedAfter(change));
      const [last] = Array.from({ length: 6 }, () => start()).slice(-1);
      expect(last).toMatch(/^(?:first|second) run a b/);
      expect(fallBackOf(home)?.program).toBe(`${home}/third`);
    },
  );

  it('[A21] survives a loss of power, and so does the choice of what it starts next', async () => {
    const home = temporaryFolder();
    const [first, second] = [join(temporaryFolder(), 'first'), join(temporaryFolder(), 'second')];
    for (const program of [first, second]) writeFileSync(program, '#!/bin/sh\n');
    expect(await lostWithPower(home, () => writeLauncher(home, first))).toEqual([]);
    expect(await lostWithPower(home, () => startNext(home, second, first))).toEqual([]);
    expect(await lostWithPower(home, () => confirmStart(home, second))).toEqual([]);
  });

  it('[A21] counts the starts of a release before it starts it: a full disk in between leaves the one before', () => {
    const { home, program, start } = launcherHome();
    // Nothing can be written under this name.
    mkdirSync(`${home}/agent/unconfirmed.new`);
    expect(() => startNext(home, program('second'), program('first'))).toThrow('EISDIR');
    expect([nextProgram(home), start()]).toEqual([undefined, 'first run a b first']);
  });

  it('does not count the starts of a release that stayed up', () => {
    const { home, program, start } = launcherHome();
    startNext(home, program('second'), program('first'));
    start();
    confirmStart(home, `${home}/second`);
    expect(launchedPrograms(home).at(-1)).toBe(`${home}/second`);
    expect(Array.from({ length: 5 }, () => start())).toEqual(
      Array(5).fill('second run a b second'),
    );
  });

  it('begins to count again after a release was stopped', () => {
    const { home, program, start } = launcherHome();
    startNext(home, program('second'), program('first'));
    start();
    start();
    forgiveStart(home);
    expect([start(), start(), start()]).toEqual(Array(3).fill('second run a b second'));
    expect(start()).toBe(`first run a b first\n${GAVE_UP}`);
    // Nothing is counted any more.
    forgiveStart(home);
    expect(existsSync(`${home}/agent/unconfirmed`)).toBe(false);
  });

  const MISSING = 'the installed release of the agent is not started: its program is missing';

  it.each<[string, (home: string) => void, string[]]>([
    [
      'the program of the release is gone',
      (home) => rmSync(`${home}/third`),
      [`second run a b second\n${MISSING}`, 'second run a b second'],
    ],
    [
      'the program of the release cannot be executed',
      (home) => chmodSync(`${home}/third`, 0o644),
      [`second run a b second\n${MISSING}`, 'second run a b second'],
    ],
    [
      'the program of the release is a folder',
      (home) => {
        rmSync(`${home}/third`);
        mkdirSync(`${home}/third`);
      },
      [`second run a b second\n${MISSING}`, 'second run a b second'],
    ],
    [
      'both programs are gone',
      (home) => {
        rmSync(`${home}/third`);
        rmSync(`${home}/second`);
      },
      [`first run a b first\n${MISSING}`, 'first run a b first'],
    ],
    [
      'there is no link to the program before it',
      (home) => {
        rmSync(`${home}/third`);
        rmSync(`${home}/agent/previous`);
      },
      [`first run a b first\n${MISSING}`, 'first run a b first'],
    ],
    [
      'a loss of power left both links at the release',
      (home) => {
        rmSync(`${home}/agent/previous`);
        symlinkSync(`${home}/third`, `${home}/agent/previous`);
        writeFileSync(`${home}/agent/unconfirmed`, '3\n');
      },
      [`first run a b first\n${GAVE_UP}`, 'first run a b first'],
    ],
    [
      'all programs are gone',
      (home) => {
        for (const name of ['first', 'second', 'third']) rmSync(`${home}/${name}`);
      },
      [
        `${MISSING}\nthere is no agent to start: @/agent/first is missing; modreg agent install-unit writes it (69)`,
        'there is no agent to start: @/agent/first is missing; modreg agent install-unit writes it (69)',
      ],
    ],
    [
      'the count is no number',
      (home) => writeFileSync(`${home}/agent/unconfirmed`, 'x; echo y\n'),
      [
        'third run a b third',
        'third run a b third',
        'third run a b third',
        `second run a b second\n${GAVE_UP}`,
      ],
    ],
    [
      'the count is empty',
      (home) => writeFileSync(`${home}/agent/unconfirmed`, ''),
      [
        'third run a b third',
        'third run a b third',
        'third run a b third',
        `second run a b second\n${GAVE_UP}`,
      ],
    ],
  ])('starts what is left if %s', (_what, damage, expected) => {
    const { home, program, start } = launcherHome();
    startNext(home, program('second'), program('first'));
    startNext(home, program('third'), `${home}/second`);
    damage(home);
    expect(expected.map(() => start())).toEqual(expected);
  });
});
