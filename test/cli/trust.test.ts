import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { APPROVER, AUTHOR, digestOf, signed, trustOf } from '../support/signed.ts';
import { published } from './support/trusted-site.ts';

const AT = '2026-11-20T10:00:00Z';
const TRUST = trustOf();

function release(version: string) {
  const url = `https://files.example/${version}`;
  const artifacts = [{ platform: 'any', url, digest: digestOf(version), size: 5 }];
  return { version, published_at: AT, artifacts };
}

const RELEASES = [
  signed('acme:lidar', release('1.2.0'), AUTHOR, APPROVER),
  {
    ...signed('acme:lidar', release('1.3.0'), AUTHOR, APPROVER),
    published_at: '2026-11-19T10:00:00Z',
  },
  signed('acme:lidar', release('1.4.0'), AUTHOR),
];

/** What a machine has besides the lidar. */
interface More {
  readonly more?: readonly object[];
  readonly deployed?: object;
  /** Terms of the policy. */
  readonly modules?: object;
}

/** A machine with a lidar, whose registry is a folder or a server. */
async function siteAt(
  registry: 'folder' | 'server',
  version: string,
  trust = TRUST.pin,
  { more = [], deployed = {}, ...terms }: More = {},
) {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', version, 'lidar'), ...more] }),
    'deployed.json': JSON.stringify({ lidar: '1.1.0', ...deployed }),
    'lists/acme/lidar.json': JSON.stringify({ releases: RELEASES }),
    'lists/trust.txt': TRUST.text,
  });
  const address =
    registry === 'folder' ? `${folder}/lists` : await published(folder, TRUST, RELEASES);
  const policy = temporaryFolder({
    'policy.json': JSON.stringify({ registry: address, trust, ...terms }),
  });
  const run = async (...args: readonly string[]) => {
    const all = args.map((arg) => arg.replace('MACHINE', folder).replace('POLICY', policy));
    const { stdout, stderr, exit } = await inProcess(all, { PLATFORM_HOME: `${folder}/home` });
    const shown = (text: string): string =>
      text.replaceAll(folder, '.').replaceAll(policy, '.').replaceAll(address, 'REGISTRY');
    return { stdout: shown(stdout), stderr: shown(stderr), exit };
  };
  return run;
}

const PLAN = [
  'plan',
  'MACHINE/machine.json',
  '--policy',
  'POLICY/policy.json',
  '--deployed',
  'MACHINE/deployed.json',
];

describe.each(['folder', 'server'] as const)('[D133] a policy with trust, and a %s', (kind) => {
  it('resolve says why each release is refused', async () => {
    const run = await siteAt(kind, '1.*');
    const args = ['resolve', 'acme:lidar', '1.*', '--policy', 'POLICY/policy.json', '--explain'];
    const { stdout, exit } = await run(...args);
    expect([exit, stdout.split('\n').filter((line) => /^ {2}1\./.test(line))]).toEqual([
      0,
      [
        '  1.4.0  no   unsigned: 1 of 2 signatures',
        `  1.3.0  no   bad signature: that of key ${APPROVER.id} is not of this release`,
        '  1.2.0  YES  newest release of 1 that may be selected',
      ],
    ]);
    const json = await run(...args, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      version: '1.2.0',
      latest: '1.4.0',
      refused: [
        { version: '1.4.0', reason: 'unsigned', detail: 'unsigned: 1 of 2 signatures' },
        { version: '1.3.0', reason: 'bad-signature' },
      ],
    });
  });

  it('plan goes to what is signed', async () => {
    const run = await siteAt(kind, '1.*');
    const { stdout, exit } = await run(...PLAN, '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).modules).toMatchObject([{ name: 'lidar', target: '1.2.0' }]);
  });

  it('plan has no other release for a pin', async () => {
    const run = await siteAt(kind, '1.4.0');
    expect(await run(...PLAN)).toMatchObject({
      stderr:
        'error[UNSIGNED]: acme:lidar (lidar) 1.4.0 is published but refused: unsigned: 1 of 2 signatures; acme:lidar (lidar) stays at 1.1.0\nhint: latest selects 1.2.0\n',
      exit: 1,
    });
  });

  it('plan says which trust document the registry has', async () => {
    const pin = trustOf([]).pin;
    const run = await siteAt(kind, '1.*', pin);
    const { stderr, exit } = await run(...PLAN);
    expect([exit, stderr.split('\n').slice(0, 2)]).toEqual([
      4,
      [
        `error[REGISTRY_UNTRUSTED]: the ${kind === 'folder' ? 'folder "./lists"' : 'registry REGISTRY'} has the trust document ${TRUST.pin}, and the policy names ${pin}; acme:lidar (lidar) stays at 1.1.0`,
        'hint: compare the digest in the policy with what modreg keys show prints for the file of the registry',
      ],
    ]);
  });
});

it.each(['oci:https://oci.example', 'github:acme/cam', 'npm:https://npm.example'])(
  '[D134] a pin makes only the modules of %s stuck, and says what to do',
  async (source) => {
    const run = await siteAt('folder', '1.*', TRUST.pin, {
      more: [entry('acme:cam', '1.*', 'cam')],
      deployed: { cam: '1.0.0' },
      modules: { cam: { registry: source } },
    });
    const { stdout, stderr } = await run(...PLAN, '--json');
    const { modules } = JSON.parse(stdout);
    expect(modules).toMatchObject([
      { name: 'lidar', target: '1.2.0' },
      { name: 'cam', decision: 'stuck' },
    ]);
    expect(stderr + stdout).toContain(
      'has no signatures of releases, and the policy names a trust document for it',
    );
    expect(stderr + stdout).toContain('set \\"trust\\": \\"unsigned\\" in the policy');
  },
);
