import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { brokenStream } from '../support/broken-stream.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess, startedInProcess, textOf } from '../support/in-process.ts';
import { sh, shWithMounts } from '../support/shell.ts';

/** An environment whose home and temporary folder are `home`. */
function at(home: string): Record<string, string> {
  return { HOME: home, PLATFORM_HOME: home, TMPDIR: home };
}

function stream(isTTY: boolean): PassThrough {
  return Object.assign(new PassThrough(), { isTTY });
}

/** What a command prints to stdout and then to stderr, of which stderr and, if `isShown`, stdout are a terminal. */
async function onTerminal(
  args: readonly string[],
  { env = {}, isShown = true }: { readonly env?: object; readonly isShown?: boolean } = {},
): Promise<string> {
  const { stdout, stderr, ended } = startedInProcess(args, {
    env: { TERM: 'xterm', ...env },
    stdout: stream(isShown),
    stderr: stream(true),
  });
  await ended;
  return `${textOf(stdout)}${textOf(stderr)}`;
}

const RED = '\u001b[31merror[BAD_CONSTRAINT]:\u001b[39m "3.x"';
const PLAIN = 'error[BAD_CONSTRAINT]: "3.x"';

describe('[T69] the environment of the process', () => {
  const all = "./bin/modreg resolve npm:typescript '5.4.*' --all --registry test/fixtures/registry";

  it('ends without a message, but not with exit 0, when the reader closes the pipe', () => {
    const lines = sh(`{ { ${all}; echo "exit $?" >&2; } | head -n 1; } 2>&1`).trimEnd().split('\n');
    expect(lines.toSorted()).toEqual(['exit 141', 'npm:typescript  5.4.*  →  5.4.5']);
  });

  it('[T69] does not exit with 0 when stdout is closed', () => {
    const script = '{ ./bin/modreg resolve acme:cam latest >&-; echo "exit $?"; } 2>&1';
    expect(sh(script)).toBe(
      'error[INTERNAL]: cannot write the answer (stdout is closed)\nexit 70\n',
    );
  });

  it('gives the same answer and exit code when stderr is on a full disk', () => {
    expect(sh('./bin/modreg resolve acme:cam latest 2>/dev/full; echo "exit $?"')).toBe(
      '1.3.0\nexit 0\n',
    );
  });

  it('reports an error when stdout is on a full disk, also with --json', async () => {
    const running = startedInProcess(['resolve', 'acme:cam', 'latest', '--json'], {
      stdout: brokenStream('ENOSPC'),
    });
    await running.ended;
    expect(JSON.parse(textOf(running.stderr))).toMatchObject({
      error: { code: 'INTERNAL', message: 'cannot write the answer (ENOSPC)' },
    });
    expect(sh('{ ./bin/modreg resolve acme:cam latest >/dev/full; echo "exit $?"; } 2>&1')).toMatch(
      /error\[INTERNAL\]: cannot write the answer \(ENOSPC\)\nexit 70\n$/,
    );
  });

  it('resolves with a home that is read-only, missing, or not a folder', async (context) => {
    const folder = temporaryFolder({ file: '' });
    const resolve = './bin/modreg resolve acme:cam latest';
    const steps = [`mount -t tmpfs -o ro none ${folder}`, resolve];
    expect(shWithMounts(context, steps, at(folder))).toBe('1.3.0\n');
    for (const home of ['/nowhere', `${folder}/file`]) {
      const { stdout } = await inProcess(['resolve', 'acme:cam', 'latest'], at(home));
      expect(stdout).toBe('1.3.0\n');
    }
  });

  it.each([
    ['a terminal', '', RED],
    ['a terminal for stdout alone', '2>&1 >/dev/tty | cat', PLAIN],
  ])('colour on %s', (_, redirection, expected) => {
    const command = `./bin/modreg resolve acme:lidar 3.x ${redirection}`;
    const shown = sh(`script -qec "${command}" /dev/null`, { TERM: 'xterm' });
    expect(shown).toContain(expected);
  });

  it.each<[string, object, readonly string[], string]>([
    ['NO_COLOR', { NO_COLOR: '1' }, [], PLAIN],
    ['an empty NO_COLOR', { NO_COLOR: '' }, [], RED],
    ['a dumb terminal', { TERM: 'dumb' }, [], PLAIN],
    ['--color=never', {}, ['--color=never'], PLAIN],
    ['--color=always', { NO_COLOR: '1' }, ['--color', 'always'], RED],
    ['the last of two --color options', {}, ['--color', 'always', '--color', 'never'], PLAIN],
  ])('colour on %s', async (_, env, options, expected) => {
    const args = ['resolve', 'acme:lidar', '3.x', ...options];
    expect(await onTerminal(args, { env })).toContain(expected);
  });

  it('colour on a terminal for stderr alone', async () => {
    const args = ['resolve', 'acme:lidar', '3.x'];
    expect(await onTerminal(args, { isShown: false })).toContain(RED);
  });

  it('prints no colour and no summary without a terminal', async () => {
    const { stdout, stderr } = await inProcess(['resolve', 'acme:cam', 'latest']);
    expect(stdout + stderr).not.toMatch(/\u001b|→/);
  });

  it('prints a summary line with the reason on a terminal', async () => {
    const shown = await onTerminal(['resolve', 'acme:cam', '1.0.*'], { env: { TERM: 'dumb' } });
    const summary = 'acme:cam 1.0.* → 1.0.4   (minor: newest patch of 1.0; latest is 1.3.0)';
    expect(shown).toContain(summary);
    // A script that captures the answer still shows why.
    const captured = 'v=$(./bin/modreg resolve acme:cam "1.0.*"); echo v=$v';
    const lines = sh(`script -qec '${captured}' /dev/null`, { TERM: 'dumb' });
    expect(lines).toContain(summary);
    expect(lines).toContain('v=1.0.4');
  });
});
