import { describe, expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { inProcess } from '../support/in-process.ts';
import { passingTime } from '../support/passing-time.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';

const RESOLVE = ['resolve', 'acme:lidar', '1.*'];

/** The address of a registry with two modules. */
async function acme(): Promise<string> {
  const { address, catalogue } = await loopbackRegistry();
  for (const id of ['acme:lidar', 'acme:arm']) {
    const release = readRelease({ version: '1.2.3' });
    if (release.ok) catalogue.publish(moduleId(id), release.value, 0);
  }
  return address;
}

function home(): { readonly PLATFORM_HOME: string } {
  return { PLATFORM_HOME: temporaryFolder() };
}

describe('a release list over the network', () => {
  it('comes from the registry', async () => {
    const registry = await acme();
    expect(await inProcess([...RESOLVE, '--registry', registry], home())).toEqual({
      stdout: '1.2.3\n',
      stderr: '',
      exit: 0,
    });
    const { stdout } = await inProcess([...RESOLVE, '--json'], { MODREG_REGISTRY: registry });
    expect(JSON.parse(stdout)).toMatchObject({ list: { source: 'network', stale: false } });
  });

  it('[D21] is the saved one if the registry is unreachable, and the warning shows its age', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    const args = [...RESOLVE, '--registry', server.address];
    const environment = home();
    await inProcess(args, environment);
    server.close();
    const { stdout, stderr, exit } = await passingTime()(inProcess(args, environment));
    const warning = stderr.replace(/saved \d+ s ago/, 'saved N s ago');
    expect([stdout, warning, exit]).toEqual([
      '1.2.3\n',
      `warning[STALE_LIST]: the registry ${server.address} refused the connection; answered from the list saved N s ago\nhint: nothing listens at this address: check it, and whether the registry is served\n`,
      0,
    ]);
    const json = await inProcess([...args, '--json', '--offline'], environment);
    expect(JSON.parse(json.stdout)).toMatchObject({ list: { source: 'saved', stale: true } });
    expect(JSON.parse(json.stderr)).toMatchObject({ warning: { code: 'STALE_LIST' } });
  });

  it('[D21] is not the saved one if that is older than max_index_age', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    const environment = { ...home(), MODREG_REGISTRY: server.address };
    const policy = `${temporaryFolder({ 'policy.json': '{"max_index_age": "0s"}' })}/policy.json`;
    await inProcess(RESOLVE, environment);
    const { stdout, stderr, exit } = await inProcess(
      [...RESOLVE, '--offline', '--max-age', '1h', '--policy', policy],
      environment,
    );
    expect([stdout, stderr.replace(/\d+ s ago/, 'N s ago'), exit]).toEqual([
      '',
      `error[LIST_STALE]: offline: the registry ${server.address} was not contacted; the saved list was confirmed N s ago (limit 0 s)\n`,
      4,
    ]);
  });

  it('is the saved one without a request if --max-age allows it', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    const environment = { ...home(), MODREG_REGISTRY: server.address };
    await inProcess(RESOLVE, environment);
    const { stdout, stderr } = await inProcess([...RESOLVE, '--max-age', '1h'], environment);
    expect([stdout, stderr, server.requests.length]).toEqual(['1.2.3\n', '', 1]);
    const bad = await inProcess([...RESOLVE, '--max-age', 'soon'], environment);
    expect([bad.stderr, bad.exit]).toEqual([
      'error[USAGE]: --max-age: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m\n',
      2,
    ]);
  });

  it('is missing offline if none was saved', async () => {
    const environment = { ...home(), MODREG_REGISTRY: 'https://registry.invalid' };
    const { stderr, exit } = await inProcess([...RESOLVE, '--offline'], environment);
    expect([stderr, exit]).toEqual([
      'error[REGISTRY_UNREACHABLE]: offline: the registry https://registry.invalid was not contacted, and no list of acme:lidar is saved\n',
      4,
    ]);
  });

  it.each([
    ['acme:lidr', 'acme:lidar', 'namespace acme has 2 modules: arm, lidar'],
    ['acm:lidar', 'acme:lidar', 'there is no namespace acm; found 1 namespace: acme'],
  ])('of the unknown module %s: suggests %s', async (id, suggestion, hint) => {
    const registry = await acme();
    const { stderr, exit } = await inProcess(['resolve', id, '1.*', '--registry', registry]);
    expect([stderr, exit]).toEqual([
      `error[UNKNOWN_MODULE]: the registry ${registry} has no module ${id}\n  did you mean ${suggestion} ?\nhint: ${hint}\n`,
      3,
    ]);
  });

  it('from an address without a registry: the hint asks whether one is there', async () => {
    const { address } = await plainServer((response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
    });
    const { stderr, exit } = await inProcess([...RESOLVE, '--registry', address]);
    expect([stderr, exit]).toEqual([
      `error[UNKNOWN_MODULE]: the registry ${address} has no module acme:lidar\nhint: the response of ${address}/v1/modules/acme/lidar is "text/html", not JSON: is there a registry at this address?\n`,
      3,
    ]);
  });

  it('notes after one second what it waits for', async () => {
    const passing = passingTime();
    const server = await plainServer((response) => {
      setTimeout(() => send(response, listOf(['1.2.3'], 1)), 1500);
    });
    const args = [...RESOLVE, '--registry', server.address];
    expect(await passing(inProcess(args, {}, { isPatient: false }))).toEqual({
      stdout: '1.2.3\n',
      stderr: `waiting: no answer from ${new URL(server.address).host} yet\n`,
      exit: 0,
    });
    const json = await passing(inProcess([...args, '--json'], {}, { isPatient: false }));
    expect(json.stderr).toBe('');
  });
});

describe('[D22] modreg accept', () => {
  const first = { version: '1.2.3', artifacts: [{ platform: 'any', digest: 'sha256:aa' }] };
  const changed = { version: '1.2.3', artifacts: [{ platform: 'any', digest: 'sha256:bb' }] };

  it('shows what changed, and accepts the list', async () => {
    let list = listOf([first, '1.1.0', '1.0.0'], 57);
    const server = await plainServer((response) => send(response, list));
    const environment = { ...home(), MODREG_REGISTRY: server.address };
    expect((await inProcess(RESOLVE, environment)).stdout).toBe('1.2.3\n');
    list = listOf([changed, '1.0.0', '1.2.4'], 41);
    const refused = await inProcess(RESOLVE, environment);
    expect([refused.stderr, refused.exit]).toEqual([
      `error[REGISTRY_REGRESSED]: the list of acme:lidar at ${server.address} went backwards: generation 41, after 57\nhint: modreg accept acme:lidar --registry ${server.address} accepts the current list; with --dry-run, it only shows what changed\n`,
      4,
    ]);
    const changes = [
      'acme:lidar',
      '  generation 57 → 41',
      '  gone    1.1.0',
      '  new     1.2.4',
      '  changed 1.2.3: digest changed: sha256:bb for any, first seen as sha256:aa',
      '  changed 1.2.3: other artifacts',
    ];
    const trial = await inProcess(['accept', 'acme:lidar', '--dry-run'], environment);
    expect(trial.stdout.trimEnd().split('\n')).toEqual([...changes, 'nothing was accepted']);
    expect((await inProcess(RESOLVE, environment)).exit).toBe(4);
    const json = await inProcess(['accept', 'acme:lidar', '--dry-run', '--json'], environment);
    expect(JSON.parse(json.stdout)).toEqual({
      schema: 'modreg/accept@1',
      module_id: 'acme:lidar',
      known: true,
      accepted: false,
      generation: { known: 57, now: 41 },
      gone: ['1.1.0'],
      new: ['1.2.4'],
      changed: [
        { version: '1.2.3', platform: 'any', first_digest: 'sha256:aa', digest: 'sha256:bb' },
      ],
      changed_fields: { '1.2.3': ['artifacts'] },
    });
    const accepted = await inProcess(['accept', 'acme:lidar'], environment);
    expect(accepted.stdout.trimEnd().split('\n')).toEqual([
      ...changes,
      'accepted: the current list is saved',
    ]);
    expect((await inProcess(RESOLVE, environment)).stdout).toBe('1.2.4\n');
  });

  it.each<[string, object, string]>([
    ['a reverted yank', listOf(['1.2.3'], 1), '  changed 1.2.3: no longer yanked'],
    [
      'the same contents in different bytes',
      { ...listOf([{ version: '1.2.3', yanked: '' }], 1), note: '' },
      '  different bytes, the same contents',
    ],
    ['no change', listOf([{ version: '1.2.3', yanked: '' }], 1), '  nothing changed'],
  ])('shows %s', async (_, next, line) => {
    let list = listOf([{ version: '1.2.3', yanked: '' }], 1);
    const server = await plainServer((response) => send(response, list));
    const environment = { ...home(), MODREG_REGISTRY: server.address };
    await inProcess(RESOLVE, environment);
    list = next;
    const { stdout } = await inProcess(['accept', 'acme:lidar', '--dry-run'], environment);
    expect(stdout).toBe(`acme:lidar\n${line}\nnothing was accepted\n`);
  });

  it('answers in spite of a damaged saved list, and replaces it', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    const environment = { ...home(), MODREG_REGISTRY: server.address };
    const damage = (): void => {
      const file = openMachineFile(`${environment.PLATFORM_HOME}/machine.db`);
      file.sql.run("UPDATE saved_contents SET content = '[]'");
      file.close();
    };
    await inProcess(RESOLVE, environment);
    damage();
    const damaged = await inProcess(RESOLVE, environment);
    expect([damaged.stdout, damaged.stderr, damaged.exit]).toEqual([
      '1.2.3\n',
      `warning[STATE_UNREADABLE]: "${environment.PLATFORM_HOME}/machine.db": a saved list is damaged\n`,
      0,
    ]);
    expect((await inProcess(RESOLVE, environment)).stderr).toBe('');
    damage();
    const { stdout } = await inProcess(['accept', 'acme:lidar'], environment);
    expect(stdout).toBe(
      'acme:lidar\n  no list was saved before\naccepted: the current list is saved\n',
    );
    expect((await inProcess(RESOLVE, environment)).stderr).toBe('');
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>, [string, number]]>([
    [
      'without a registry',
      [],
      {},
      [
        'error[NO_REGISTRY]: no registry is named\nhint: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create $PLATFORM_HOME/registry.db\n',
        2,
      ],
    ],
    [
      'for a folder',
      ['--registry', '.'],
      {},
      [
        'error[USAGE]: lists are saved only from registries on the network, so this registry has nothing to accept\n',
        2,
      ],
    ],
    [
      'without a home',
      ['--registry', 'https://registry.invalid'],
      {},
      ['error[USAGE]: this machine has no saved lists: neither PLATFORM_HOME nor HOME is set\n', 2],
    ],
    [
      'with a home that cannot be created',
      ['--registry', 'https://registry.invalid'],
      { PLATFORM_HOME: '/dev/null/home' },
      ['error[STATE_WRITE]: "/dev/null/home/machine.db": it cannot be created (ENOTDIR)\n', 70],
    ],
  ])('%s', async (_, args, environment, [stderr, exit]) => {
    const ended = await inProcess(['accept', 'acme:lidar', ...args], environment);
    expect(ended).toEqual({ stdout: '', stderr, exit });
  });
});

describe('a machine.db that cannot be used does not prevent an answer', () => {
  it.each<[string, () => string, string]>([
    [
      'its folder cannot be created',
      () => '/dev/null/home',
      'warning[STATE_WRITE]: "/dev/null/home/machine.db": it cannot be created (ENOTDIR)\n',
    ],
    [
      'it is not a database',
      () => temporaryFolder({ 'machine.db': 'no SQLite file'.repeat(100) }),
      'warning[STATE_UNREADABLE]: "@/machine.db": file is not a database\n',
    ],
  ])('%s', async (_, place, warning) => {
    const PLATFORM_HOME = place();
    const registry = await acme();
    expect(await inProcess([...RESOLVE, '--registry', registry], { PLATFORM_HOME })).toEqual({
      stdout: '1.2.3\n',
      stderr: warning.replace('@', PLATFORM_HOME),
      exit: 0,
    });
  });

  it('and is reported beside a registry that cannot be reached', async () => {
    const server = await plainServer((response) => send(response, listOf(['1.2.3'], 1)));
    server.close();
    const environment = { PLATFORM_HOME: '/dev/null/home', MODREG_REGISTRY: server.address };
    const { stderr, exit } = await passingTime()(inProcess(RESOLVE, environment));
    expect([stderr, exit]).toEqual([
      `error[REGISTRY_UNREACHABLE]: the registry ${server.address} refused the connection
hint: nothing listens at this address: check it, and whether the registry is served
warning[STATE_WRITE]: "/dev/null/home/machine.db": it cannot be created (ENOTDIR)
`,
      4,
    ]);
  });
});
