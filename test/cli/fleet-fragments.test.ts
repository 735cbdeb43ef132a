import { expect, it } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { entry } from '../support/planned.ts';
import { tokenFor } from '../support/token.ts';

const LIDAR_12 = JSON.stringify({ modules: [entry('acme:lidar', '1.2.*')] });
const LIDAR_13 = JSON.stringify({ modules: [entry('acme:lidar', '1.3.*')] });
const GPS = JSON.stringify({ modules: [entry('acme:gps', '2.*')] });
const REASON = ['--reason', 'a test'];
const ROVER = ['--machine', 'rover-7'];

/** Runs `modreg fleet config …` with files for which `./` stands. */
function timeless(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/\d{4}-[^Z]+Z/g, 'TIME'));
}

async function session(): Promise<(...args: string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  const files = { '12.json': LIDAR_12, '13.json': LIDAR_13, 'gps.json': GPS, 'bad.json': '[]' };
  const folder = temporaryFolder(files);
  const token = tokenFor(catalogue, ['config'], 'ops');
  const environment = { MODREG_TOKEN: token, MODREG_REGISTRY: address };
  return async (...args) => {
    const named = args.map((one) => one.replace(/^\.\//, `${folder}/`));
    const options = { environment, clock: Date.now };
    const { stdout, stderr, exit } = await printed(['fleet', 'config', ...named], options);
    return { stdout: timeless(stdout), stderr: timeless(stderr), exit };
  };
}

it('[D329] [D330] a fragment is saved, used, changed after a look at its effect, and restored documents use none', async () => {
  const run = await session();
  expect(await run('fragment', 'list')).toEqual({
    stdout: ['there is no fragment'],
    stderr: [],
    exit: 0,
  });
  expect((await run('fragment', 'set', 'base', './12.json', ...REASON)).stdout).toEqual([
    'base: revision 1 is saved, with an effect on 0 machines',
  ]);
  await run('set', './gps.json', ...ROVER, ...REASON, '--fragment', 'base');
  const set = ['fragment', 'set', 'base', './13.json', ...REASON];
  expect(await run(...set, '--dry-run')).toEqual({
    stdout: [
      'base: revision 2 would be saved, with an effect on 1 machine',
      '  rover-7, revision 1:',
      '    acme_lidar 1.2.* → 1.3.*',
    ],
    stderr: ['note: nothing was saved'],
    exit: 0,
  });
  const refused = await run(...set);
  expect([refused.exit, refused.stderr]).toEqual([
    1,
    [
      'error[STALE_CONFIG]: fragment base has revision 1 (TIME, token t1 (ops): a test), and --based-on is missing: nothing was saved',
      'hint: modreg fleet config fragment show base prints it; edit that, and set it with --based-on 1',
    ],
  ]);
  expect((await run(...set, '--based-on', '1')).stdout).toEqual([
    'base: revision 2 is saved, with an effect on 1 machine',
    '  rover-7, revision 1 → 2:',
    '    acme_lidar 1.2.* → 1.3.*',
  ]);
  expect((await run(...set)).stdout).toEqual([
    'base: revision 2 has this content already, with an effect on 0 machines',
    '  the documents of 1 other machine stay as they are',
  ]);
  const shown = await run('show', ...ROVER);
  expect(shown.stdout.slice(0, 2)).toEqual([
    'rover-7, revision 2, saved TIME by token t1 (ops): fragment base, revision 2: a test',
    '  compiled from base and what the machine has of its own (--own)',
  ]);
  expect(shown.stdout.join('\n')).toContain('"version": "1.3.*"');
  expect((await run('show', '--own', ...ROVER)).stdout.slice(3)).toEqual(['machine.json:', GPS]);
  expect((await run('diff', ...ROVER)).stdout).toEqual(
    expect.arrayContaining(['-      "version": "1.2.*"', '+      "version": "1.3.*"']),
  );
  expect((await run('fragment', 'show', 'base')).stdout).toEqual([
    'base, revision 2, saved TIME by token t1 (ops): a test',
    '  used by rover-7',
    LIDAR_13,
  ]);
  expect((await run('fragment', 'list')).stdout[1]?.split(/ {2,}/).slice(1, 4)).toEqual([
    'base',
    '2',
    '1',
  ]);
  // Edited again, the documents of a machine keep their fragments.
  await run('set', './12.json', ...ROVER, ...REASON, '--based-on', '2');
  expect((await run('show', ...ROVER)).stdout[1]).toContain('compiled from base');
  expect((await run('restore', '1', ...ROVER, ...REASON)).stderr.at(-1)).toBe(
    'note: the machine no longer uses base: what was restored is saved as it was compiled',
  );
  const gps = ['set', './gps.json', ...ROVER, ...REASON];
  await run(...gps, '--fragment', 'base', '--based-on', '4');
  await run(...gps, '--no-fragments', '--based-on', '5');
  expect((await run('show', ...ROVER)).stdout).toContain(GPS);
});

it('[D330] what a fragment changes is JSON for programs', async () => {
  const run = await session();
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await run(...args, '--json')).stdout[0] ?? '');
  const set = ['fragment', 'set', 'base', './12.json', ...REASON];
  const saved = { name: 'base', revision: 1, machines: [], unaffected: 0 };
  expect(await json(...set)).toEqual({
    schema: 'modreg/fleet-fragment-set@1',
    ...saved,
    result: 'saved',
  });
  expect(await json('fragment', 'show', 'base')).toMatchObject({
    schema: 'modreg/fleet-fragment@1',
    content: LIDAR_12,
    machines: [],
  });
  expect(await json('fragment', 'list')).toMatchObject({
    schema: 'modreg/fleet-fragments@1',
    fragments: [{ name: 'base', machines: 0 }],
  });
});

it.each<[readonly string[], number, string]>([
  [
    ['fragment', 'set', '.x', './12.json'],
    2,
    'error[USAGE]: ".x" is not the name of a fragment, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  ],
  [['fragment', 'set', 'base', './bad.json'], 1, 'error[BAD_VALUE]: the fragment is not an object'],
  [
    ['fragment', 'set', 'base', './12.json', '--based-on', '3'],
    1,
    'error[STALE_CONFIG]: this is based on revision 3, and the newest is 0: nothing was saved',
  ],
  [
    ['set', './gps.json', ...ROVER, '--fragment', 'base'],
    1,
    'error[BAD_VALUE]: /fragments: no fragment has the name base; there is none',
  ],
])('[D329] fleet config %j saves nothing', async (args, exit, error) => {
  const run = await session();
  const ended = await run(...args, ...REASON);
  expect([ended.exit, ended.stderr[0]]).toEqual([exit, error]);
  expect((await run('fragment', 'list')).stdout).toEqual(['there is no fragment']);
});

it.each([
  [['set', 'base', './12.json', '--based-on', '3', ...REASON], 'show base shows the newest'],
  [['show', 'base'], 'list shows them all'],
])('[D329] the hint after fleet config fragment %j is about fragments', async (args, hint) => {
  const run = await session();
  const { stderr } = await run('fragment', ...args);
  expect(stderr.at(-1)).toBe(`hint: modreg fleet config fragment ${hint}`);
});
