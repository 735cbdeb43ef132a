import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INSTALL_SCRIPT } from '../../src/server/routes/install-script.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sha256Of } from './support/hosting.ts';

/** A registry as the script sees it: curl answers with the version and a digest, or copies the package. */
const CURL = `#!/bin/sh
while [ $# -gt 1 ]; do
  if [ "$1" = --output ]; then exec cp "$HERE/package.tar.gz" "$2"; fi
  shift
done
cat "$HERE/answer"
`;
/** An agent that writes down how it is run. */
const AGENT = `#!/bin/sh
echo "$*; trust $(printenv MODREG_TRUST)." >>"$HERE/ran"
`;
const PROGRAMS = { id: '#!/bin/sh\necho 0\n', systemctl: '#!/bin/sh\n', curl: CURL };
const PIN = `sha256:${'1'.repeat(64)}`;

/** Runs the script as if as root, on a machine with systemd. Returns what it printed last, and how the agent was run. */
function installed(
  environment: (sha256: string) => Readonly<Record<string, string>>,
  isRunning = false,
): { readonly told: string; readonly ran: readonly string[]; readonly sha256: string } {
  const folder = temporaryFolder({
    ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, text]) => [`bin/${name}`, text])),
    'package/bin/modreg': AGENT,
    'systemd/x': '',
    ...(isRunning ? { 'home/agent/running': 'x 0.1.0\n' } : {}),
  });
  for (const name of Object.keys(PROGRAMS)) chmodSync(`${folder}/bin/${name}`, 0o755);
  chmodSync(`${folder}/package/bin/modreg`, 0o755);
  execFileSync('tar', ['-czf', `${folder}/package.tar.gz`, '-C', `${folder}/package`, '.']);
  const sha256 = sha256Of(readFileSync(`${folder}/package.tar.gz`));
  execFileSync('sh', ['-c', 'echo "1.0.0 $1" >"$2"', 'sh', sha256, `${folder}/answer`]);
  const script = INSTALL_SCRIPT.replace('/run/systemd/system', `${folder}/systemd`);
  const { stdout, stderr } = spawnSync('sh', ['-s', '--', 'https://registry.example'], {
    encoding: 'utf8',
    input: script,
    env: {
      PATH: `${folder}/bin:${process.env['PATH']}`,
      HERE: folder,
      PLATFORM_HOME: `${folder}/home`,
      ...environment(sha256),
    },
  });
  const ran = `${folder}/ran`;
  const lines = existsSync(ran) ? readFileSync(ran, 'utf8').trimEnd().split('\n') : [];
  const told = `${stdout}${stderr}`.trim().split('\n').at(-1) ?? '';
  return { told, ran: lines, sha256 };
}

const UNIT =
  'agent install-unit /etc/modreg/machine.json --start --registry https://registry.example; trust ';

describe('[D176] install.sh', () => {
  it.each<[string, (sha256: string) => Record<string, string>]>([
    ['without a digest of the agent', () => ({})],
    ['with an empty one', () => ({ MODREG_AGENT_SHA256: '' })],
    ['with its digest', (sha256) => ({ MODREG_AGENT_SHA256: sha256 })],
    ['with its digest as lists have it', (sha256) => ({ MODREG_AGENT_SHA256: `sha256:${sha256}` })],
  ])('%s runs the agent', (_what, environment) => {
    const { told, ran } = installed(environment);
    expect([told, ran]).toEqual(['agent 1.0.0 is installed', ['version; trust .', `${UNIT}.`]]);
  });

  it('does not run an agent with another digest than MODREG_AGENT_SHA256', () => {
    const other = '2'.repeat(64);
    const { told, ran, sha256 } = installed(() => ({ MODREG_AGENT_SHA256: other }));
    expect([told, ran]).toEqual([
      `install.sh: https://registry.example has agent 1.0.0 with the sha256 ${sha256}, and MODREG_AGENT_SHA256 is ${other}`,
      [],
    ]);
  });

  it('passes MODREG_TRUST on, also where an agent runs already', () => {
    const ran = [`version; trust ${PIN}.`, `${UNIT}${PIN}.`];
    expect(installed(() => ({ MODREG_TRUST: PIN })).ran).toEqual(ran);
    expect(installed(() => ({ MODREG_TRUST: PIN }), true).ran).toEqual(ran);
    expect(installed(() => ({}), true)).toMatchObject({
      told: 'agent 0.1.0 runs here, and installs its releases itself; modreg agent install-unit changes its registry and config',
      ran: [],
    });
  });
});
