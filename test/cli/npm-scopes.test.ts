import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainServer, send, type PlainServer } from '../../mocks/plain-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

/** A registry in whose answers every package exists: what somebody else may have published there. */
async function openRegistry(): Promise<PlainServer> {
  return await plainServer((response, { url = '' }) =>
    send(response, { name: decodeURIComponent(url.slice(1)), versions: { '6.6.6': {} } }),
  );
}

async function deniedBy(status: number): Promise<PlainServer> {
  return await plainServer((response) => {
    response.statusCode = status;
    send(response, { error: 'no' });
  });
}

/** What `modreg resolve` of a module of `npm:` says with these settings, with `HOME` for the path of the home. */
async function said(
  npmrc: string,
  environment: Readonly<Record<string, string>> = {},
  id = 'acme:lidar',
): Promise<string> {
  const HOME = temporaryFolder();
  writeFileSync(`${HOME}/.npmrc`, npmrc, { mode: 0o600 });
  const command = ['resolve', id, 'latest', '--registry', 'npm:'];
  const { stdout, stderr } = await inProcess(command, { HOME, ...environment });
  return (stdout + stderr).trimEnd().replaceAll(HOME, 'HOME');
}

function hintFor(names: string): string {
  return `set ${names}, or write the address into that line`;
}

function lineFor(origin: string): string {
  return `add the line "${origin} <token>" to $PLATFORM_HOME/tokens (mode 0600)`;
}

describe('[T521] the variables of npm', () => {
  const NONE = 'http://127.0.0.1:9';
  it.each<[string, string, (own: string) => Record<string, string>]>([
    ['NPM_CONFIG_REGISTRY', `registry=${NONE}`, (own) => ({ NPM_CONFIG_REGISTRY: own })],
    ['in lower case', `registry=${NONE}`, (own) => ({ npm_config_registry: own })],
    [
      'the spelling in lower case counts',
      '',
      (own) => ({ NPM_CONFIG_REGISTRY: NONE, npm_config_registry: own }),
    ],
    ['of a scope', `@acme:registry=${NONE}`, (own) => ({ 'npm_config_@acme:registry': own })],
    [
      'a line for the scope comes before a variable for all others',
      '@acme:registry=${OWN}',
      (own) => ({ NPM_CONFIG_REGISTRY: NONE, OWN: own }),
    ],
    [
      'an empty variable is none',
      'registry=${OWN}',
      (own) => ({ NPM_CONFIG_REGISTRY: '', OWN: own }),
    ],
    [
      'a file that npm names for its scripts',
      `registry=${NONE}`,
      (own) => ({
        npm_config_userconfig: `${temporaryFolder({ npmrc: `registry=${own}` })}/npmrc`,
      }),
    ],
  ])('%s', async (_what, npmrc, environment) => {
    const own = await openRegistry();
    expect(await said(npmrc, environment(own.address))).toBe('6.6.6');
  });

  it('names a file for its scripts that need not exist', async () => {
    const own = await openRegistry();
    const environment = {
      npm_config_userconfig: '/nowhere/npmrc',
      NPM_CONFIG_REGISTRY: own.address,
    };
    expect(await said('', environment)).toBe('6.6.6');
  });

  it('one whose own variable is not set', async () => {
    expect(await said('', { NPM_CONFIG_REGISTRY: 'https://${A}/npm' }, 'npm:arm')).toBe(
      'error[BAD_ADDRESS]: the registry of all packages without one of their scope is not known: NPM_CONFIG_REGISTRY has ${A}, which is not set\n' +
        'hint: set A, or write the address into that variable',
    );
  });
});

describe('[T510] a registry of .npmrc that is not known is not replaced by another', () => {
  const ACME = 'BAD_ADDRESS the registry of @acme is not known: line 2 of "HOME/.npmrc" has';
  it.each<[string, string, string, string]>([
    [
      'its variable is not set',
      '@acme:registry=${ACME_REGISTRY}',
      '${ACME_REGISTRY}',
      'ACME_REGISTRY',
    ],
    ['in other letters', '@Acme:registry=${A}', '${A}', 'A'],
    ['in quotes', '@acme:registry = "https://${A}/npm/"', '${A}', 'A'],
    ['the variable of the scope', '@${ORG}:registry=https://npm.example', '${ORG}', 'ORG'],
  ])('%s', async (_what, line, variable, name) => {
    const rest = await openRegistry();
    const found = await said(`registry=${rest.address}\n${line}\n`);
    expect(found).toBe(
      `error[${ACME.replace(' ', ']: ')} ${variable}, which is not set\nhint: ${hintFor(name)}`,
    );
    expect(rest.requests).toEqual([]);
  });

  it('two variables', async () => {
    expect(await said('\n@acme:registry=https://${A}/${B}')).toBe(
      `error[${ACME.replace(' ', ']: ')} \${A} and \${B}, which are not set\nhint: ${hintFor('A and B')}`,
    );
  });

  it('the registry of all others', async () => {
    expect(await said('registry=${A}', {}, 'npm:arm')).toBe(
      'error[BAD_ADDRESS]: the registry of all packages without one of their scope is not known: line 1 of "HOME/.npmrc" has ${A}, which is not set\n' +
        `hint: ${hintFor('A')}`,
    );
  });

  it.each([
    ['no value', '@acme:registry=', 'expected https:// and a host'],
    ['no equals sign', '@acme:registry', 'expected https:// and a host'],
    ['empty by choice', '@acme:registry=${A?}', 'expected https:// and a host'],
    [
      'written as text',
      String.raw`@acme:registry=\${HOME}`,
      'it contains white space, a control character or a backslash',
    ],
  ])('%s', async (_what, line, why) => {
    const rest = await openRegistry();
    expect(await said(`registry=${rest.address}\n${line}`)).toBe(
      `error[BAD_ADDRESS]: the settings of npm name a registry that cannot be used: ${why}`,
    );
    expect(rest.requests).toEqual([]);
  });

  it('a line that is not needed is not an error; of two, the one with the same letters counts', async () => {
    const rest = await openRegistry();
    const lines = [`registry=${rest.address}`, '@other:registry=${A}', '@Acme:registry=${A}'];
    expect(await said(lines.join('\n'), {}, 'npm:arm')).toBe('6.6.6');
    expect(await said([...lines, `@acme:registry=${rest.address}`].join('\n'))).toBe('6.6.6');
    const variable = ['@acme:registry=${A}', `@acme:registry=${rest.address}`];
    expect(await said(variable.toReversed().join('\n'), { A: rest.address })).toBe('6.6.6');
    expect(await said(variable.join('\n'))).toBe('6.6.6');
  });

  it.each([
    ['is a folder', '.', 'the file "FOLDER/." cannot be read (not a regular file)'],
    ['does not exist', 'none', 'the file "FOLDER/none" does not exist'],
    ['is too large', 'large', 'the file "FOLDER/large" has more than 65536 bytes'],
  ])('the file of NPM_CONFIG_USERCONFIG %s', async (_what, name, why) => {
    const folder = temporaryFolder({ large: '#'.repeat(65_537) });
    const found = await said('', { NPM_CONFIG_USERCONFIG: `${folder}/${name}` });
    expect(found.replaceAll(folder, 'FOLDER')).toBe(
      `error[UNREADABLE_FILE]: ${why}, which may name the registry of @acme\n` +
        'hint: correct or unset NPM_CONFIG_USERCONFIG, or name the registry itself: npm:https://host/path',
    );
  });

  it('a machine with such a module is told so by plan', async () => {
    const rest = await openRegistry();
    const HOME = temporaryFolder({
      '.npmrc': `registry=${rest.address}\n@acme:registry=\${A}`,
      'machine.json': JSON.stringify({
        modules: [{ name: 'lidar', type: 'registry', module_id: 'acme:lidar', version: '1.*' }],
      }),
      'policy.json': '{ "registry": "npm:" }',
      'deployed.json': '{ "lidar": null }',
    });
    const { stdout, stderr } = await inProcess(
      ['plan', `${HOME}/machine.json`, '--deployed', `${HOME}/deployed.json`],
      { HOME },
    );
    expect((stdout + stderr).replaceAll(HOME, 'HOME')).toContain(
      'the registry of @acme is not known: line 2 of "HOME/.npmrc" has ${A}, which is not set',
    );
    expect(rest.requests).toEqual([]);
  });
});

describe('[T511] what to do after a refusal', () => {
  it.each([401, 403])('%i names the registry of the scope', async (status) => {
    const { address } = await deniedBy(status);
    expect(await said(`@acme:registry=${address}/npm/`)).toBe(
      `error[REGISTRY_REFUSED]: the registry npm:${address}/npm denies access without a token (${status})\nhint: ${lineFor(address)}`,
    );
  });

  it.each([
    ['_authToken=${NPM_TOKEN}', 'NPM_TOKEN'],
    ['_auth=${NPM_AUTH}', 'NPM_AUTH'],
    ['username=ada\n//HOST/:_password=${PASSWORD}', 'PASSWORD'],
  ])('names the variable of %s that is not set', async (line, name) => {
    const { address } = await deniedBy(401);
    const { host } = new URL(address);
    const lines = `@acme:registry=${address}/npm/\n//${host}/:${line.replace('HOST', host)}`;
    const number = lines.split('\n').length;
    expect(await said(lines)).toBe(
      `error[REGISTRY_REFUSED]: the registry npm:${address}/npm denies access without a token (401)\n` +
        `hint: set ${name} for line ${number} of "HOME/.npmrc", or ${lineFor(address)}`,
    );
  });

  it('says so as well of a package that is not found, which may be hidden', async () => {
    const { address } = await deniedBy(404);
    const { host } = new URL(address);
    expect(await said(`@acme:registry=${address}\n//${host}/:_authToken=\${NPM_TOKEN}`)).toBe(
      `error[UNKNOWN_MODULE]: the registry npm:${address} has no module acme:lidar (@acme/lidar)\n` +
        'hint: registries also say so without a token that may read it: set NPM_TOKEN for line 2 of "HOME/.npmrc"',
    );
    expect(await said(`@acme:registry=${address}`)).toBe(
      `error[UNKNOWN_MODULE]: the registry npm:${address} has no module acme:lidar (@acme/lidar)`,
    );
  });

  it('says that the settings cannot be read', async () => {
    const { address } = await deniedBy(401);
    const HOME = temporaryFolder({ '.npmrc/empty': '' });
    const command = ['resolve', 'acme:lidar', 'latest', '--registry', `npm:${address}`];
    const { stderr } = await inProcess(command, { HOME });
    expect(stderr.replaceAll(HOME, 'HOME')).toContain(
      'make the settings of npm readable (the file "HOME/.npmrc" cannot be read (not a regular file)), or set MODREG_TOKEN',
    );
  });
});

describe('[T518] a .npmrc with a token that others can read is one error, whatever needs it', () => {
  const PROBLEM = 'the settings file of npm "HOME/.npmrc" has mode 0644, and others can read it';
  const CONFIG = {
    modules: [{ name: 'lidar', type: 'registry', module_id: 'acme:lidar', version: '1.*' }],
  };

  it.each([
    ['resolve, of npm:', ['resolve', 'acme:lidar', '1.*'], 'npm:'],
    ['resolve, of the address', ['resolve', 'acme:lidar', '1.*'], 'npm:ADDRESS'],
    ['compare', ['compare', 'acme:lidar'], 'npm:'],
    ['plan', ['plan', 'HOME/machine.json', '--deployed', 'HOME/deployed.json'], 'npm:'],
    ['check', ['check', 'HOME/machine.json'], 'npm:'],
  ])('%s', async (_what, command, registry) => {
    const { address, requests } = await openRegistry();
    const HOME = temporaryFolder({
      'machine.json': JSON.stringify(CONFIG),
      'deployed.json': '{ "lidar": null }',
    });
    const { host } = new URL(address);
    const lines = `@acme:registry=${address}\n//${host}/:_authToken=abc12345`;
    writeFileSync(`${HOME}/.npmrc`, lines, { mode: 0o644 });
    const args = [...command, '--registry', registry.replace('ADDRESS', address)];
    const { exit, stdout, stderr } = await inProcess(
      args.map((one) => one.replace('HOME', HOME)),
      { HOME },
    );
    const printed = (stdout + stderr).replaceAll(HOME, 'HOME');
    expect([exit, printed.includes(PROBLEM), printed.match(/error\[\w+\]/g)]).toEqual([
      1,
      true,
      ['error[PERMISSIONS]'],
    ]);
    expect(requests).toEqual([]);
  });
});
