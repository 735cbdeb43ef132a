import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canary, formsOf } from '../support/canary.ts';
import { badDocuments } from '../support/documents.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';

const GOOD = 'test/fixtures/documents/good';

/** A component that uses the module of `acme:m`. */
const USER = { name: 'c', model: 'acme:m:x', type: 'sensor', namespace: 'rdk' };

/** The path of a copy of a bad machine config from the fixtures. */
function badMachine(name: string): string {
  const bytes = badDocuments().find((bad) => bad.name === name)?.bytes ?? '';
  return join(temporaryFolder({ [`${name}.json`]: bytes }), `${name}.json`);
}

function machineWith(fields: object): string {
  const entry = { type: 'registry', name: 'm', module_id: 'acme:m', version: '1.*', ...fields };
  return JSON.stringify({ components: [USER], modules: [entry] });
}

const NOT_REGULAR = 'cannot be read (not a regular file)';

describe('modreg check <file>', () => {
  it.each<[readonly string[], string, number]>([
    [[`${GOOD}/machine/comments.json`, '--strict'], 'no problems; 0 modules read\n', 0],
    [[`${GOOD}/policy/full.json`], 'no problems; read as an update policy\n', 0],
    [[`${GOOD}/agent/pins.json`], 'no problems; read as an agent configuration\n', 0],
    [
      [`${GOOD}/agent/pins.json`, '--as', 'policy', '--strict'],
      `${GOOD}/agent/pins.json:1:1  error[MISSING]  found no field of an update policy, expected registry, allow_http, minimum_release_age, unknown_release_age, 36 more; its fields are those of an agent configuration\n1 error; read as an update policy\n`,
      1,
    ],
  ])('%j', async (args, stdout, exit) => {
    expect(await inProcess(['check', ...args])).toEqual({ stdout, stderr: '', exit });
  });

  const CARET =
    '29:18  error[BAD_CONSTRAINT]  /modules/0/version: "^1.2.3" is not a version constraint; did you mean 1.* ?\n1 error; 1 module read\n';
  const TYPO =
    '34:7  warning[UNKNOWN_FIELD]  /modules/0/verison: unknown field; did you mean version ?\n1 warning; 1 module read\n';

  it.each([
    ['bad-constraint--caret', [], CARET, 1],
    ['unknown-field--module', [], TYPO, 0],
    ['unknown-field--module', ['--strict'], TYPO, 1],
  ])('%s %j', async (name, options, report, exit) => {
    const file = badMachine(name);
    const stdout = `${file}:${report}`;
    expect(await inProcess(['check', file, ...options])).toEqual({ stdout, stderr: '', exit });
  });

  it('prints one object with --json', async () => {
    const file = badMachine('duplicate-name--modules');
    const { stdout, stderr, exit } = await inProcess(['check', file, '--json']);
    expect([stderr, exit]).toEqual(['', 1]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/check@1',
      file,
      as: 'machine',
      policy: null,
      errors: 1,
      warnings: 0,
      modules: 2,
      problems: [
        {
          severity: 'error',
          code: 'DUPLICATE_NAME',
          file,
          line: 43,
          column: 15,
          path: '/modules/1/name',
          message: 'another module is named acme_lidar; see 33:15',
          suggestion: null,
          hint: null,
        },
      ],
    });
  });

  it('shows fifty problems and counts the rest', async () => {
    const folder = temporaryFolder({
      'm.json': JSON.stringify({ components: Array.from({ length: 70 }, () => 0), remotes: [] }),
    });
    const lines = (await inProcess(['check', join(folder, 'm.json')])).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(52);
    expect(lines.slice(-2)).toEqual([
      `${folder}/m.json: … and 21 more`,
      '70 errors, 1 warning; 0 modules read',
    ]);
  });
});

describe('a file that cannot be read: exit 2', () => {
  it.each([
    [['/nowhere/machine.json'], 'the file "/nowhere/machine.json" does not exist'],
    [['src'], 'the file "src" cannot be read (EISDIR)'],
    [[`${GOOD}/machine/full.json`, '--policy', 'no.json'], 'the file "no.json" does not exist'],
  ])('%j', async (args, message) => {
    expect(await inProcess(['check', ...args])).toEqual({
      stdout: '',
      stderr: `error[UNREADABLE_FILE]: ${message}\n`,
      exit: 2,
    });
  });
});

describe('the policy', () => {
  const machine = machineWith({ env: { KEY: '${environment.PLATFORM_API_KEY}' } });
  const allowing = JSON.stringify({ env_allow: ['PLATFORM_API_KEY'] });

  it('beside a machine config is used to check it', async () => {
    const folder = temporaryFolder({ 'machine.json': machine, 'policy.json': allowing });
    expect(await inProcess(['check', `${folder}/machine.json`])).toEqual({
      stdout: `no problems; 1 module read; checked against ${folder}/policy.json\n`,
      stderr: '',
      exit: 0,
    });
  });

  it('of --policy is used instead, and its terms for a module override its general ones', async () => {
    const own = JSON.stringify({
      env_allow: ['PLATFORM_API_KEY'],
      modules: { m: { env_allow: [] } },
    });
    const folder = temporaryFolder({
      'machine.json': machine,
      'policy.json': allowing,
      'own.json': own,
    });
    const { stdout, exit } = await inProcess([
      'check',
      `${folder}/machine.json`,
      '--policy',
      `${folder}/own.json`,
    ]);
    expect(exit).toBe(1);
    expect(stdout).toMatch(
      /error\[FORBIDDEN_VARIABLE\] {2}\/modules\/0\/env\/KEY: .*; checked against .*own\.json\n$/s,
    );
  });

  it('beside a machine config is also checked', async () => {
    const folder = temporaryFolder({
      'machine.json': machineWith({}),
      'policy.json': '{"quarantine": 7}',
    });
    expect(await inProcess(['check', `${folder}/machine.json`])).toEqual({
      stdout: `${folder}/policy.json:1:16  error[BAD_TYPE]  /quarantine: found a number, expected a duration or until-lifted\n1 error; 1 module read; not checked against ${folder}/policy.json\n`,
      stderr: '',
      exit: 1,
    });
  });

  it('allows plain http to the hosts that it names', async () => {
    const agent = JSON.stringify({
      'platform-agent': { pin_url: `http://files.local/agent#sha256=${'0a'.repeat(32)}` },
    });
    const folder = temporaryFolder({
      'agent.json': agent,
      'policy.json': '{"allow_http": ["files.local"]}',
    });
    expect((await inProcess(['check', `${folder}/agent.json`])).exit).toBe(0);
    writeFileSync(`${folder}/policy.json`, '{"allow_http": ["other.local"]}');
    expect((await inProcess(['check', `${folder}/agent.json`])).exit).toBe(1);
  });

  it('that cannot be read causes no error about anything it may allow', async () => {
    const agent = {
      'platform-agent': { pin_url: `http://files.local/agent#sha256=${'0a'.repeat(32)}` },
    };
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({ ...JSON.parse(machine), agent }),
      'policy.json': '{"env_allow": ["PLATFORM_API_KEY"], "restart_ceiling": 0',
    });
    const { stdout } = await inProcess(['check', `${folder}/machine.json`]);
    expect(stdout.match(/error\[\w+\]/g)).toEqual(['error[BAD_JSON]']);
    expect(stdout).toContain(`1 error; 1 module read; not checked against ${folder}/policy.json\n`);
  });

  it.each([
    ['a dangling link', (at: string) => symlinkSync('/nowhere', at), 'is a link to nothing'],
    ['a pipe', (at: string) => execFileSync('mkfifo', [at]), NOT_REGULAR],
    ['a folder', (at: string) => mkdirSync(at), NOT_REGULAR],
  ])('[D426] that is %s is an error', async (_what, make, reason) => {
    const folder = temporaryFolder({ 'machine.json': machine });
    make(`${folder}/policy.json`);
    expect(await inProcess(['check', `${folder}/machine.json`])).toEqual({
      stdout: '',
      stderr: `error[UNREADABLE_FILE]: the file "${folder}/policy.json" ${reason}\n`,
      exit: 2,
    });
  });

  it('is recognized by the file name policy.json', async () => {
    const folder = temporaryFolder({ 'policy.json': '{"registry":"r","max_indx_age":"7d"}' });
    expect((await inProcess(['check', `${folder}/policy.json`])).stdout).toBe(
      `${folder}/policy.json:1:17  error[UNKNOWN_FIELD]  /max_indx_age: unknown field; did you mean max_index_age ?\n1 error; read as an update policy\n`,
    );
  });

  it('is not checked against itself', async () => {
    const folder = temporaryFolder({ 'policy.json': '{"allow_http": 1}' });
    const { stdout } = await inProcess(['check', `${folder}/policy.json`]);
    expect(stdout.match(/BAD_TYPE/g)).toHaveLength(1);
    expect(stdout).toContain('1 error; read as an update policy\n');
  });
});

describe('[T15] --env', () => {
  it('reports variables that the environment of the command does not set', async () => {
    const text = machineWith({ env: { A: '${environment.ROVER}' } });
    const file = `${temporaryFolder({ 'machine.json': text })}/machine.json`;
    expect((await inProcess(['check', file])).exit).toBe(0);
    expect((await inProcess(['check', file, '--env'], { ROVER: '' })).exit).toBe(0);
    expect(await inProcess(['check', file, '--env'])).toMatchObject({
      stdout: expect.stringContaining(
        'error[UNSET_VARIABLE]  /modules/0/env/A: ROVER is not set\n',
      ),
      exit: 1,
    });
  });
});

describe('[T65] a secret', () => {
  it.each([
    [0o600, 0],
    [0o400, 0],
    [0o640, 1],
    [0o604, 1],
    [0o644, 1],
  ])('in a file of mode %o: exit %i', async (mode, exit) => {
    const folder = temporaryFolder();
    const file = join(folder, 'agent.json');
    copyFileSync(join(ROOT, GOOD, 'agent/full.json'), file);
    chmodSync(file, mode);
    expect((await inProcess(['check', file])).exit).toBe(exit);
  });
});

describe('a secret of the document or of the environment', () => {
  it('[T64] is in no output, with any options', async () => {
    const secrets = Array.from({ length: 4 }, canary);
    const [hotspot, psk, key, env] = secrets;
    const variables = { KEY: '${environment.PLATFORM_API_KEY}', TOKEN: env, X: '${environment.X}' };
    const attributes = { hotspot_password: hotspot, networks: [{ ssid: '', psk }] };
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({
        modules: [
          { type: 'registry', name: 'm', module_id: 'acme:m', version: '1.x', env: variables },
        ],
        agent: { 'agent-provisioning': { attributes } },
      }),
    });
    for (const options of [[], ['--json'], ['--env', '--strict', '--debug', '--color=always']]) {
      const { stdout, stderr, exit } = await inProcess(
        ['check', `${folder}/machine.json`, ...options],
        { PLATFORM_API_KEY: String(key) },
      );
      const outputs = stdout + stderr;
      const forms = secrets.flatMap(formsOf);
      expect(forms.filter((form) => outputs.includes(form))).toEqual([]);
      expect([exit, stderr]).toEqual([1, '']);
    }
  });
});

describe('modreg schema', () => {
  it.each(['machine', 'agent', 'policy'])(
    'prints the JSON Schema of a %s on several lines, and on one with --json',
    async (kind) => {
      const lines = await inProcess(['schema', kind]);
      const line = await inProcess(['schema', kind, '--json']);
      expect([lines.exit, lines.stderr, line.exit]).toEqual([0, '', 0]);
      expect(JSON.parse(lines.stdout)).toEqual(JSON.parse(line.stdout));
      expect(line.stdout.match(/\n/g)).toHaveLength(1);
      expect(JSON.parse(line.stdout)).toMatchObject({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
      });
    },
  );

  it('refuses another kind of document: exit 2', async () => {
    expect(await inProcess(['schema', 'robot'])).toEqual({
      stdout: '',
      stderr:
        'error[USAGE]: kind: found "robot", expected one of machine, agent, policy\nhint: modreg schema --help shows how\n',
      exit: 2,
    });
  });
});
