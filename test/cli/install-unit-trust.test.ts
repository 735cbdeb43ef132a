import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installUnitCommand } from '../../src/cli/agent/systemd/install-unit-command.ts';
import { offeredPin } from '../../src/cli/agent/systemd/policy-pin.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servedHere } from '../support/served-here.ts';
import { trustOf } from '../support/signed.ts';
import { added, host, said, UNIT, world } from './support/systemd-host.ts';
import { published } from './support/trusted-site.ts';
import { registry } from './support/registry-command.ts';

const TRUST = trustOf();
const PIN = TRUST.pin;
const OTHER = `sha256:${'0'.repeat(64)}`;
const POLICY = 'etc/modreg/policy.json';
const FROM = 'https://registry.example';

function policyIn({ root }: { readonly root: string }): string {
  return readFileSync(join(root, POLICY), 'utf8');
}

/** The options and the environment of the command. */
type By = readonly [object, Record<string, string>?];

describe('[D174] modreg agent install-unit --trust', () => {
  it.each<[string, string | undefined, By, string]>([
    [
      'a new policy, with the registry',
      undefined,
      [{ trust: PIN, registry: FROM }],
      `{\n  "registry": "${FROM}",\n  "trust": "${PIN}"\n}\n`,
    ],
    ['a new policy without one', undefined, [{ trust: PIN }], `{\n  "trust": "${PIN}"\n}\n`],
    ['MODREG_TRUST', undefined, [{}, { MODREG_TRUST: PIN }], `{\n  "trust": "${PIN}"\n}\n`],
    [
      'the option before the variable',
      '{}',
      [{ trust: PIN }, { MODREG_TRUST: OTHER }],
      `{\n  "trust": "${PIN}"\n}`,
    ],
    [
      'a policy with comments, which stay',
      `// of the robot\n{ // {\n  "registry": "${FROM}"\n}\n`,
      [{ trust: PIN }],
      `// of the robot\n{\n  "trust": "${PIN}", // {\n  "registry": "${FROM}"\n}\n`,
    ],
    ['a policy that has it', `{"trust":"${PIN}"}`, [{ trust: PIN }], `{"trust":"${PIN}"}`],
    ['nobody: nothing is written', '{}', [{}, { MODREG_TRUST: '' }], '{}'],
  ])('%s', (_what, before, [options, environment = {}], after) => {
    const on = host(/is-enabled/, before === undefined ? {} : { [POLICY]: before });
    if (before !== undefined) chmodSync(join(on.root, POLICY), 0o640);
    const done = installUnitCommand(on.machine, options, world(environment), on);
    expect(done.problems).toEqual([]);
    expect(policyIn(on)).toBe(after);
    const mode = statSync(join(on.root, POLICY)).mode & 0o777;
    expect(mode).toBe(before === undefined ? 0o644 : 0o640);
  });

  it.each<[string, string, By, string]>([
    [
      'another digest',
      `{"trust":"${OTHER}"}`,
      [{ trust: PIN }],
      `error[USAGE]: the policy "@/${POLICY}" has "trust": "${OTHER}", and nothing was changed`,
    ],
    [
      'unsigned',
      '{"trust":"unsigned"}',
      [{ trust: PIN }],
      `error[USAGE]: the policy "@/${POLICY}" has "trust": "unsigned", and nothing was changed`,
    ],
    [
      'what is no digest',
      '{}',
      [{ trust: 'unsigned' }],
      'error[USAGE]: --trust is "unsigned", expected sha256: and 64 hexadecimal digits, as modreg keys show prints them',
    ],
    [
      'a variable that is no digest',
      '{}',
      [{}, { MODREG_TRUST: `${PIN}0` }],
      `error[USAGE]: MODREG_TRUST is "${PIN}0", expected sha256: and 64 hexadecimal digits, as modreg keys show prints them`,
    ],
  ])('refuses %s, and installs nothing', (_what, before, [options, environment = {}], message) => {
    const on = host(/is-enabled/, { [POLICY]: before });
    const done = installUnitCommand(on.machine, options, world(environment), on);
    expect(said(done, on)[0]).toBe(message);
    expect([policyIn(on), existsSync(join(on.root, UNIT))]).toEqual([before, false]);
    expect(added(on)).toEqual([POLICY]);
  });

  it('refuses a policy that cannot be read, before the machine has a config', () => {
    const on = host(/is-enabled/, { [POLICY]: '{"trust": 1}' });
    const later = join(on.root, 'etc/modreg/later.json');
    const done = installUnitCommand(later, { trust: PIN }, world(), on);
    expect(said(done, on)[0]).toBe(`error[BAD_VALUE]: the policy @/${POLICY} has 1 error`);
  });
});

/** What is said of a machine whose policy is `policy`, beside which the command names `registry`. */
async function offered(
  policy: string | undefined,
  address: string | undefined,
): Promise<string | undefined> {
  const folder = temporaryFolder(policy === undefined ? {} : { 'policy.json': policy });
  const options = address === undefined ? {} : { registry: address };
  const on = { ...world({ PLATFORM_HOME: folder }) };
  const found = await offeredPin(`${folder}/machine.json`, options, on);
  const told = found && `${found.severity}[${found.kind}] ${found.message} | ${found.hint}`;
  return told?.replaceAll(address ?? FROM, 'REGISTRY');
}

describe('[D175] modreg agent install-unit without a digest', () => {
  const BEGIN =
    'warning[unsigned-releases] releases of "REGISTRY" need no signatures, because the policy names no trust document; ';

  it('prints that which the registry offers, for comparison', async () => {
    const address = await published(temporaryFolder(), TRUST, []);
    const expected = `${BEGIN}it offers ${PIN} | compare it with what modreg keys show prints on the host of the registry, then run this again with --trust ${PIN}`;
    expect(await offered(undefined, address)).toBe(expected);
    expect(await offered('{}', address)).toBe(expected);
  });

  it('says that a registry has none', async () => {
    const db = `${temporaryFolder()}/registry.db`;
    await registry(db, 'publish', 'acme:lidar', '1.0.0', '--create');
    const { address } = await servedHere(db);
    expect(await offered(undefined, address)).toBe(
      `${BEGIN}the registry has no trust document | "trust": "unsigned" in the policy says that this is meant`,
    );
  });

  it.each([
    ['a policy with a digest', `{"registry":"${FROM}","trust":"${PIN}"}`, undefined],
    ['a policy that says unsigned', '{"trust":"unsigned"}', FROM],
    ['a registry of another kind', '{}', 'npm:https://registry.npmjs.org'],
    ['no registry', '{}', undefined],
  ])('says nothing of %s', async (_what, policy, address) => {
    expect(await offered(policy, address)).toBeUndefined();
  });
});
