import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registry/clock.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, role, STRANGER, trustOf, type TestKey } from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const TRUST = trustOf([role('namespace *', 1, APPROVER), role('operator', 1, APPROVER)]);
const NOTE = 'note: modreg fleet config show --machine rover-7 says what the machine does with it';

interface Configuring {
  readonly catalogue: Catalogue;
  /** Writes a file, and returns its path. */
  readonly file: (name: string, content: string | object) => string;
  /** Runs `modreg fleet config …` for rover-7. */
  readonly run: (...args: readonly string[]) => Promise<Printed>;
}

async function configuring(): Promise<Configuring> {
  const folder = temporaryFolder();
  const catalogue = new Catalogue(join(folder, 'registry.db'), { mode: 'create' });
  catalogue.trust.store(TRUST.text);
  const clock = { ...systemClock, now: () => NOW };
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0, clock });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const token = tokenFor(catalogue, ['config'], 'op');
  const environment = { MODREG_TOKEN: token, MODREG_REGISTRY: running.address };
  return {
    catalogue,
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(
        path,
        typeof content === 'string' ? content : JSON.stringify(content, null, 2),
        { mode: 0o600 },
      );
      return path;
    },
    async run(...args) {
      const machine = ['--machine', 'rover-7'];
      return await printed(['fleet', 'config', ...args, ...machine], {
        environment,
        clock: () => NOW,
      });
    },
  };
}

function machineWith(version: string): object {
  return { modules: [entry('acme:lidar', version)] };
}

function saved(revision: number, what = 'is saved'): Printed {
  return { stdout: [`rover-7: revision ${revision} ${what}`], stderr: [NOTE], exit: 0 };
}

const UNKNOWN =
  'It is not known whether this machine needs the signature of an operator: its page says so after it has read the revision.';

function wouldSave(...changes: readonly string[]): Printed {
  return {
    stdout: ['rover-7: revision 3 would be saved', ...changes, `  ${UNKNOWN}`],
    stderr: ['note: nothing was saved'],
    exit: 0,
  };
}

/** A private key as a file has it. */
function pem({ privateKey }: TestKey): string {
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

it('[D264] documents are saved, shown, compared, listed and restored', async () => {
  const { file, run } = await configuring();
  const first = file('machine.json', machineWith('1.*'));
  expect(await run('set', first, '--reason', 'first')).toEqual(saved(1));
  const second = file('machine.json', machineWith('1.3.*'));
  const policy = file('policy.json', '{ "restart_ceiling": 3 }\n');
  const narrow = ['set', second, '--policy', policy, '--reason', 'narrow', '--based-on', '1'];
  expect(await run(...narrow)).toEqual(saved(2));
  expect(await run('set', second, '--policy', policy, '--reason', 'narrow')).toEqual(
    saved(2, 'has these documents already'),
  );
  expect((await run('diff')).stdout).toEqual([
    '--- machine.json of revision 1',
    '+++ machine.json of revision 2',
    ' {',
    '   "modules": [',
    '     {',
    '       "type": "registry",',
    '       "name": "acme_lidar",',
    '       "module_id": "acme:lidar",',
    '-      "version": "1.*"',
    '+      "version": "1.3.*"',
    '     }',
    '   ]',
    ' }',
    '--- policy.json of revision 1',
    '+++ policy.json of revision 2',
    '+{ "restart_ceiling": 3 }',
  ]);
  expect(await run('restore', '1', '--reason', 'too narrow')).toEqual(saved(3));
  expect((await run('history')).stdout).toEqual([
    '  REVISION   SAVED                  SIGNATURES   BY              WHY',
    '  3          2026-11-29T12:00:00Z   0            token t1 (op)   too narrow',
    '  2          2026-11-29T12:00:00Z   0            token t1 (op)   narrow',
    '  1          2026-11-29T12:00:00Z   0            token t1 (op)   first',
  ]);
  expect((await run('show', '--revision', '2')).stdout).toEqual([
    'rover-7, revision 2, saved 2026-11-29T12:00:00Z by token t1 (op): narrow',
    '  the machine has not reported what it does with its documents',
    'machine.json:',
    ...JSON.stringify(machineWith('1.3.*'), null, 2).split('\n'),
    'policy.json:',
    '{ "restart_ceiling": 3 }',
  ]);
});

it('[D438] [D455] a dry run of set and of restore says what changes on the machine, and saves nothing', async () => {
  const { file, run } = await configuring();
  await run('set', file('1.json', machineWith('1.*')), '--reason', 'first');
  const second = file('2.json', { ...machineWith('1.3.*'), hold: ['acme:gps'] });
  await run('set', second, '--reason', 'second', '--based-on', '1');
  const third = file('3.json', { ...machineWith('2.*'), hold: ['acme:gps'] });
  const dry = ['--reason', 'third', '--dry-run'];
  expect(await run('set', third, ...dry)).toEqual(wouldSave('  acme_lidar 1.3.* → 2.*'));
  expect((await run('set', third, ...dry, '--based-on', '1')).exit).toBe(1);
  expect(await run('restore', '1', ...dry)).toEqual(
    wouldSave('  acme_lidar 1.3.* → 1.*', '  /hold ["acme:gps"] is removed'),
  );
  expect((await run('restore', '2', ...dry)).stdout).toEqual([
    'rover-7: revision 2 has these documents already',
    `  ${UNKNOWN}`,
  ]);
  const [json = ''] = (await run('set', third, ...dry, '--json')).stdout;
  expect(JSON.parse(json)).toEqual({
    schema: 'modreg/fleet-config-set@1',
    machine: 'rover-7',
    revision: 3,
    result: 'would-save',
    changes: ['acme_lidar 1.3.* → 2.*'],
    signatures: UNKNOWN,
  });
  expect((await run('history')).stdout).toHaveLength(3);
});

it('[D265] [D439] who edits a revision that is not the newest is told the number of the newest and what it changed', async () => {
  const { file, run } = await configuring();
  await run('set', file('machine.json', machineWith('1.*')), '--reason', 'first');
  const second = file('machine.json', machineWith('2.*'));
  await run('set', second, '--reason', 'second', '--based-on', '1');
  const late = file('machine.json', machineWith('3.*'));
  expect(await run('set', late, '--reason', 'third', '--based-on', '1')).toEqual({
    stdout: [],
    stderr: [
      'error[STALE_CONFIG]: this is based on revision 1, and the newest is 2: nothing was saved',
      '  because this was changed since:',
      '  machine.json:',
      '  …',
      '         "type": "registry",',
      '         "name": "acme_lidar",',
      '         "module_id": "acme:lidar",',
      '  -      "version": "1.*"',
      '  +      "version": "2.*"',
      '       }',
      '     ]',
      '   }',
      'hint: make these changes in yours too, then set it again with --based-on and the newest number; modreg fleet config diff --machine rover-7 compares revisions',
    ],
    exit: 1,
  });
});

it('[D265] documents without a base replace no revision', async () => {
  const { file, run } = await configuring();
  await run('set', file('machine.json', machineWith('1.*')), '--reason', 'first');
  const other = file('machine.json', machineWith('2.*'));
  expect(await run('set', other, '--reason', 'second')).toEqual({
    stdout: [],
    stderr: [
      'error[STALE_CONFIG]: rover-7 has revision 1 (2026-11-29T12:00:00Z, token t1 (op): first), and --based-on is missing: nothing was saved',
      'hint: modreg fleet config show --machine rover-7 prints it; edit that, and set it with --based-on 1',
    ],
    exit: 1,
  });
  expect((await run('history')).stdout).toHaveLength(2);
});

it('[D266] what a machine says of its documents is shown with them', async () => {
  const { catalogue, file, run } = await configuring();
  await run('set', file('machine.json', '{}'), '--reason', 'first');
  const refused = { revision: 1, code: 'needs-signature', detail: '/config/agent may change' };
  const about = { about: 'documents', machine: 'rover-7' } as const;
  catalogue.apply({ kind: 'heard', words: [{ ...about, applied: undefined, refused, at: NOW }] });
  expect((await run('show')).stdout.slice(1, 3)).toEqual([
    '  the machine runs its own documents (2026-11-29T12:00:00Z)',
    '  it refuses revision 1: needs-signature: /config/agent may change',
  ]);
});

it('[D263] an operator signs what the same command has shown', async () => {
  const { file, run } = await configuring();
  await run('set', file('machine.json', '{}'), '--reason', 'first');
  const key = file('operator.key', pem(APPROVER));
  const shown = await run('sign');
  expect(shown.stdout).toEqual([
    'rover-7, revision 1, saved 2026-11-29T12:00:00Z by token t1 (op): first',
    '  the machine has not reported what it does with its documents',
    'machine.json:',
    '{}',
    'modreg/config@1',
    'acme-plant',
    'rover-7',
    '1',
    'config sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    'policy none',
  ]);
  const [, seen = ''] = /--seen (\S+)/.exec(shown.stderr.join('')) ?? [];
  expect((await run('sign', '--key', key)).stderr).toEqual([
    'error[USAGE]: --key needs --seen: it signs only what was read',
    'hint: the same command without --key prints the documents and their digest',
  ]);
  const other = `sha256:${'0'.repeat(64)}`;
  expect((await run('sign', '--key', key, '--seen', other)).stderr[0]).toBe(
    `error[USAGE]: --seen is not the digest of this revision, ${seen}`,
  );
  expect(await run('sign', '--key', key, '--seen', seen)).toEqual({
    stdout: [`rover-7: revision 1 is signed by ${APPROVER.id}`],
    stderr: [],
    exit: 0,
  });
  const strange = file('stranger.key', pem(STRANGER));
  expect((await run('sign', '--key', strange, '--seen', seen)).stderr).toEqual([
    `error[BAD_VALUE]: /signatures: that of the key ${STRANGER.id} is not one of an operator over rover-7, revision 1 and its documents`,
  ]);
});

it.each<[string, string | object, string]>([
  [
    'an error',
    '{',
    'error[BAD_VALUE]: malformed: the machine config cannot be used: 1:2 expected "}"',
  ],
  [
    'a secret',
    { agent: { 'agent-provisioning': { attributes: { hotspot_password: 'kiwi-1234' } } } },
    'error[BAD_VALUE]: holds-secret: /config/agent/agent-provisioning/attributes/hotspot_password is a secret, which a site cannot serve: keep it on the machine, or use ${environment.NAME}',
  ],
])('[D264] a document with %s is not saved', async (_what, content, error) => {
  const { file, run } = await configuring();
  const ended = await run('set', file('machine.json', content), '--reason', 'first');
  expect(ended.stderr[0]).toBe(error);
  expect((await run('history')).stdout).toEqual(['nothing was saved']);
});

it('[D264] `modreg fleet config set` prints what the page shows', async () => {
  const { file, run } = await configuring();
  const { stdout, stderr } = await run('set', file('machine.json', '{}'), '--reason', 'first');
  const session = blocksOf(pageAt('docs/configuration-from-the-site.md')).find(
    ({ language }) => language === 'sh-session',
  );
  expect(session?.content.split('\n').slice(1)).toEqual([...stdout, ...stderr, '']);
});

it.each([
  ['restore 0', '<revision>'],
  ['show --revision 0', '--revision'],
  ['diff --from 0', '--from'],
])('[D264] no revision has the number 0: %s', async (line, what) => {
  const { run } = await configuring();
  const { exit, stderr } = await run(...line.split(' '), '--reason', 'x');
  const { stderr: shown } = await run(...line.split(' '));
  const said = `error[USAGE]: ${what} is not the number of a revision, expected one such as 3`;
  expect([exit, [...stderr, ...shown].includes(said)]).toEqual([2, true]);
});

it('[D264] documents are printed without the control characters in their texts', async () => {
  const { file, run } = await configuring();
  const config = JSON.stringify(machineWith('1.*'));
  const text = config.replace('"modules"', '"\u{9b}31m":"\u{202e}","modules"');
  await run('set', file('machine.json', text), '--reason', 'first');
  const { stdout } = await run('show');
  const shown = text.replace('\u{9b}', '\\u{9b}').replace('\u{202e}', '\\u{202e}');
  expect(stdout.slice(1)).toEqual([
    '  the machine has not reported what it does with its documents',
    'machine.json:',
    shown,
  ]);
});
