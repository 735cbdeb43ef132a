import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import { compareVersions } from '../../src/core/index.ts';
import { version as versionOf } from '../support/ask.ts';
import { ROOT } from '../support/modreg.ts';
import { value } from '../support/reading.ts';

/** How a config is read in which a module reads `variable`: the kind of the problem, and its message. */
function kindFor(variable: string, env_allow: readonly string[] = []): (string | undefined)[] {
  const env = { READER: `\${environment.${variable}}` };
  const module = { type: 'local', name: 'a', module_id: 'acme:a', version: '1.0.0', env };
  const policy = value(readUpdatePolicy(JSON.stringify({ env_allow })));
  const { problems } = readMachine(JSON.stringify({ modules: [module] }), { policy });
  const problem = problems.find(({ path }) => path === '/modules/0/env/READER');
  return [problem?.kind, problem?.message];
}

/** The variables that a text of the source names or reads. */
function variablesIn(text: string): string[] {
  const own = text.match(/\b(?:MODREG|PLATFORM)_[A-Z_]+\b/g) ?? [];
  const members = text.matchAll(/(?<!\{)\benv(?:ironment)?(?:\.|\[')([A-Z][A-Z_]+)/g);
  const taken = text.matchAll(
    /\{([^{}]*)\}(?: = (?:\w+\.)?env(?:ironment)?\b|: World\['environment'\])/g,
  );
  const named = [...taken].flatMap(
    ([, names = '']) => names.match(/(?<=(?:^|,)\s*)[A-Z][A-Z_]+/g) ?? [],
  );
  return [...own, ...Array.from(members, ([, name = '']) => name), ...named];
}

describe('a module that reads a variable of the agent', () => {
  const REFUSED = [
    'MODREG_KEY_PASSPHRASE',
    'MODREG_NOTIFY_SECRET',
    'MODREG_SIGNING_KEY',
    'PLATFORM_API_KEY',
    'PLATFORM_API_KEY_ID',
    'PLATFORM_PART_ID',
  ];
  /** Refused from this version on. */
  const LATER: Readonly<Record<string, string>> = { MODREG_TOKEN: '0.4.0' };
  /** Paths, addresses, and what the agent passes on or sets itself. */
  const NO_SECRETS = [
    'MODREG_CA_FILE MODREG_CREDENTIALS_FILE MODREG_LAUNCHED MODREG_MACHINE_ID MODREG_MALLOC MODREG_NATS MODREG_OPEN_FILES',
    'MODREG_PAGE_PORT_OPTION MODREG_REGISTRY MODREG_REPORTS MODREG_RUN MODREG_TOKEN_FILE MODREG_TRUST',
    'PLATFORM_AGENT_FAST_START PLATFORM_HOME PLATFORM_MODULE_DATA',
    'PLATFORM_MODULE_ID PLATFORM_MODULE_ROOT PLATFORM_MODULE_SOCKET',
    'COLUMNS DOCKER_CONFIG HOME LANG LISTEN_FDS LISTEN_PID LOGNAME NOTIFY_SOCKET NO_COLOR NPM_CONFIG_USERCONFIG PATH',
    'SUDO_USER TERM TMPDIR USER WATCHDOG_USEC',
  ].flatMap((names) => names.split(' '));

  it('[D61] of those that modreg reads, each is a secret or known to be none', () => {
    const files = globSync('{src,bin}/**/*', { cwd: ROOT, withFileTypes: true });
    const texts = files.flatMap((file) =>
      file.isFile() && !file.isSymbolicLink()
        ? [readFileSync(join(file.parentPath, file.name), 'utf8')]
        : [],
    );
    // What begins with PLATFORM_API is kept from the program of modreg poll.
    const known = [...REFUSED, ...Object.keys(LATER), ...NO_SECRETS, 'PLATFORM_API'];
    expect([...new Set(texts.flatMap(variablesIn))].toSorted()).toEqual(known.toSorted());
  });

  it.each([
    ...REFUSED.map((name) => [name, 'forbidden-variable', `${name} is a secret of the agent`]),
    ...Object.entries(LATER).map(([name, from]) => [
      name,
      'secret-variable',
      `${name} is a secret of the agent, which modreg ${from} and later do not pass to this module`,
    ]),
    ...NO_SECRETS.map((name) => [name, undefined, undefined]),
  ])('[D61] %s: %s', (name = '', ...expected) => {
    expect(kindFor(name)).toEqual(expected);
    expect(kindFor(name, [name])).toEqual([undefined, undefined]);
  });

  it.each([
    [
      [],
      'MODREG_TOKEN is a secret of the agent, which modreg 0.4.0 and later do not put into this header',
    ],
    [['MODREG_TOKEN'], undefined],
  ])('[D61] a header for a collector, with env_allow %j', (env_allow, expected) => {
    const headers = { authorization: 'Bearer ${environment.MODREG_TOKEN}' };
    const logs = { endpoint: 'https://collector.example/v1/logs', headers };
    const { ok, problems } = readUpdatePolicy(JSON.stringify({ logs, env_allow }));
    expect([ok, problems[0]?.message]).toEqual([true, expected]);
  });

  it('[D61] is refused from the version on that the warning names', () => {
    const file = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
    const own = versionOf(file.version);
    const due = Object.values(LATER).filter((from) => compareVersions(own, versionOf(from)) >= 0);
    expect(due).toEqual([]);
  });
});
