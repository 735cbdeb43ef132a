import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { runModreg } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { tokenFor } from '../support/token.ts';

const VALUE = 'kiwi-7f3a';
const ROVER = ['--machine', 'rover-7'];
const PLACE = '/modules/acme_maps/env/KEY (registry acme:maps)';
const DOCUMENT = { modules: [{ ...entry('acme:maps', '1.*'), env: { KEY: '${secret.MAPS}' } }] };

function done(...stdout: string[]): Printed {
  return { stdout, stderr: [], exit: 0 };
}

/** Runs `modreg fleet config …` with files for which `./` stands, after documents that name MAPS are saved. */
async function session(): Promise<(...args: string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  const files = {
    'machine.json': JSON.stringify(DOCUMENT),
    'value.txt': `${VALUE}\n`,
    'empty.txt': '\n',
    'open.txt': VALUE,
  };
  const folder = temporaryFolder(files);
  for (const name of ['value.txt', 'empty.txt']) chmodSync(`${folder}/${name}`, 0o600);
  chmodSync(`${folder}/open.txt`, 0o644);
  const token = tokenFor(catalogue, ['config'], 'ops');
  const environment = { MODREG_TOKEN: token, MODREG_REGISTRY: address };
  const run = async (...args: string[]): Promise<Printed> => {
    const named = args.map((one) => one.replace(/^\.\//, `${folder}/`));
    const options = { environment, clock: Date.now };
    const { stdout, stderr, exit } = await printed(['fleet', 'config', ...named], options);
    return { stdout, stderr: stderr.map((line) => line.replaceAll(folder, '.')), exit };
  };
  await run('set', './machine.json', ...ROVER, '--reason', 'a test');
  return run;
}

it('[D362] a value is set, listed and removed, and is not shown', async () => {
  const run = await session();
  expect(await run('secret', 'list', ...ROVER)).toEqual(
    done('  NAME   VALUE     FOR', `  MAPS   missing   ${PLACE}`),
  );
  expect(await run('secret', 'set', 'MAPS', '--value-file', './value.txt', ...ROVER)).toEqual(
    done(`rover-7: the value of MAPS is set for ${PLACE}`),
  );
  expect(await run('secret', 'list', ...ROVER)).toEqual(
    done('  NAME   VALUE   FOR', `  MAPS   set     ${PLACE}`),
  );
  expect(await run('secret', 'remove', 'MAPS', ...ROVER)).toEqual(
    done(`rover-7: the value of MAPS is removed, which was for ${PLACE}`),
  );
  expect(await run('secret', 'list', '--machine', 'rover-8')).toEqual(
    done('the documents name no secret'),
  );
});

it.each([
  ['a line', `${VALUE}\n`, VALUE],
  ['a line of Windows', `${VALUE}\r\n`, VALUE],
  ['two lines', `${VALUE}\n${VALUE}\n`, `${VALUE}\n${VALUE}`],
])('[D362] a value of %s comes from stdin, and is not shown', async (_what, input, value) => {
  const { address, catalogue } = await loopbackRegistry();
  const { configs } = catalogue;
  const about = { machine: 'rover-7', at: 0, author: 'a', reason: 'a', basedOn: 0 };
  configs.save({ ...about, config: JSON.stringify(DOCUMENT), policy: undefined });
  const set = ['fleet', 'config', 'secret', 'set', 'MAPS', '--value-file', '-', ...ROVER];
  const token = tokenFor(catalogue, ['config'], 'ops');
  const environment = { MODREG_TOKEN: token, MODREG_REGISTRY: address };
  expect(await runModreg(set, environment, { input })).toEqual({
    stdout: `rover-7: the value of MAPS is set for ${PLACE}\n`,
    stderr: '',
    exit: 0,
  });
  expect(configs.secrets.of('rover-7')).toEqual({ MAPS: { value, places: [PLACE] } });
});

it('[D362] what a program reads has no value', async () => {
  const run = await session();
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await run('secret', ...args, ...ROVER, '--json')).stdout[0] ?? '');
  const about = { machine: 'rover-7', name: 'MAPS', places: [PLACE] };
  expect([
    await json('set', 'MAPS', '--value-file', './value.txt'),
    await json('list'),
    await json('remove', 'MAPS'),
  ]).toEqual([
    { schema: 'modreg/fleet-secret-set@1', ...about, result: 'saved' },
    {
      schema: 'modreg/fleet-secrets@1',
      secrets: [{ name: 'MAPS', has_value: true, places: [PLACE] }],
    },
    { schema: 'modreg/fleet-secret-remove@1', ...about, result: 'removed' },
  ]);
});

it.each<[readonly string[], number, string]>([
  [
    ['set', 'A-B', '--value-file', './value.txt'],
    2,
    'error[USAGE]: "A-B" is not the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter',
  ],
  [
    ['remove', ''],
    2,
    'error[USAGE]: "" is not the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter',
  ],
  [
    ['set', 'MAPS', '--value-file', './empty.txt'],
    2,
    'error[USAGE]: --value-file has no value; nothing was saved',
  ],
  [
    ['set', 'MAPS', '--value-file', './open.txt'],
    1,
    'error[PERMISSIONS]: others can read the file "./open.txt", which has a secret (mode 0644)',
  ],
  [
    ['set', 'OTHER', '--value-file', './value.txt'],
    1,
    'error[UNKNOWN_CONFIG]: the newest documents of rover-7 do not have ${secret.OTHER}: save documents that do, then set its value',
  ],
  [['remove', 'MAPS'], 1, 'error[UNKNOWN_CONFIG]: rover-7 has no value with this name'],
])('[D362] fleet config secret %j changes nothing', async (args, exit, error) => {
  const run = await session();
  const ended = await run('secret', ...args, ...ROVER);
  expect([ended.exit, ended.stderr[0]]).toEqual([exit, error]);
  expect((await run('secret', 'list', ...ROVER)).stdout[1]).toContain('missing');
});
