import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noteLaterRefusals } from '../../src/cli/agent/later-refusals.ts';
import type { Problem } from '../../src/base/problem.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printed } from '../support/command.ts';
import { ROOT } from '../support/modreg.ts';
import { agentInProcess, agentRunning } from '../support/polling.ts';

const TOKEN = 'modreg_canary-1';
const SECRETS = {
  MODREG_TOKEN: TOKEN,
  PLATFORM_API_KEY: 'modreg_canary-2',
  PLATFORM_API_KEY_ID: 'canary-3',
  PLATFORM_PART_ID: 'canary-4',
  COLLECTOR_PASSWORD: 'canary-5',
};

/** The folder of a machine with a local module, whose program is this shell script. */
function machineFolder(script: string, policy: object = {}): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  mkdirSync(`${folder}/home`);
  writeFileSync(`${folder}/module`, `#!/bin/sh\n${script}\nexec sleep 1000\n`, { mode: 0o755 });
  const module = {
    type: 'local',
    name: 'lidar',
    module_id: 'acme:lidar',
    version: '1.0.0',
    executable_path: `${folder}/module`,
    env: { TOKEN: '${environment.MODREG_TOKEN}', MODE: '${environment.ROBOT_MODE}' },
  };
  const run_as = process.getuid?.() === 0 ? 'root' : undefined;
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules: [module] }));
  writeFileSync(`${folder}/policy.json`, JSON.stringify({ run_as, ...policy }));
  return folder;
}

const WARNING =
  "/modules/0/env/TOKEN: MODREG_TOKEN is a secret of the agent, which modreg 0.4.0 and later do not pass to this module; add it to the policy's env_allow to pass it to this module";

it.each([
  ['check', 'warning[SECRET_VARIABLE]'],
  ['plan', 'warning[SECRET_VARIABLE]'],
  ['doctor', 'warning  documents'],
])(
  '[D61] modreg %s warns about a secret that modules may no longer read later',
  async (command, begin) => {
    const folder = machineFolder('');
    const environment = { PLATFORM_HOME: `${folder}/home`, MODREG_REGISTRY: 'http://127.0.0.1:9' };
    const { stdout, stderr } = await printed([command, `${folder}/machine.json`], { environment });
    const text = [...stdout, ...stderr].join('\n').replaceAll(/\s+/g, ' ');
    expect(text).toContain(begin.replaceAll(/\s+/g, ' '));
    expect(text).toContain(
      'MODREG_TOKEN is a secret of the agent, which modreg 0.4.0 and later do not pass to this module',
    );
    expect(text).toContain("add it to the policy's env_allow");
  },
);

function warning(kind: 'secret-variable' | 'unknown-field', message: string): Problem {
  return { severity: 'warning', kind, message, hint: 'do this' };
}

describe('an agent with secrets in its environment', () => {
  it('[T272] does not show them to modules in /proc, and uses them itself', async () => {
    const folder = machineFolder(
      `tr '\\0' '\\n' </proc/$PPID/environ | grep -c canary; tr '\\0' '\\n' </proc/$PPID/environ | grep ROBOT_MODE; echo "$TOKEN $MODE"; echo shown`,
    );
    const agent = agentRunning(folder, [], { ...SECRETS, ROBOT_MODE: 'field' });
    const lines = await agent.until('shown');
    const said = lines.flatMap((line) => /lidar: (.*)/.exec(line)?.slice(1) ?? []);
    // The number of lines with a secret, a variable that is none, and what the module gets.
    expect(said.slice(-4)).toEqual(['0', 'ROBOT_MODE=field', `${TOKEN} field`, 'shown']);
    await agent.end('SIGTERM');
  });

  it('[T272] has no secret that others of the same user can read, and keeps the rest', () => {
    const environment = {
      A_FIRST: 'x',
      ...SECRETS,
      MODREG_TOKEN_FILE: '/tokens',
      Z_LAST: 'MODREG_TOKEN=x',
    };
    const script = `${ROOT}test/cli/support/private-environment.ts`;
    const text = execFileSync(process.execPath, [script], { env: environment, encoding: 'utf8' });
    expect(JSON.parse(text)).toEqual({
      shown: ['A_FIRST=x', 'MODREG_TOKEN_FILE=/tokens', 'Z_LAST=MODREG_TOKEN=x'],
      own: ['A_FIRST', 'MODREG_TOKEN_FILE', 'Z_LAST'],
      secret: TOKEN,
    });
  });

  it('[D61] says what a later version refuses once, until it is something else', () => {
    const lines: string[] = [];
    const note = noteLaterRefusals({ note: (level, text) => void lines.push(`${level} ${text}`) });
    const first = [warning('secret-variable', 'one'), warning('unknown-field', 'other')];
    note({ warnings: first });
    note({ warnings: first });
    note({ warnings: [...first, warning('secret-variable', 'two')] });
    expect(lines).toEqual(['warn one; do this', 'warn two; do this']);
  });

  it.each([
    [{}, [`TIME warn  @/machine.json:1:N ${WARNING}`]],
    [{ env_allow: ['MODREG_TOKEN'] }, []],
  ])(
    '[D61] passes on one that modules may no longer read later, and warns once: policy %j',
    async (policy, expected) => {
      const folder = machineFolder('echo "started with $TOKEN"', policy);
      const agent = agentInProcess(folder, [], { ...SECRETS, ROBOT_MODE: 'field' });
      const lines = await agent.until(`lidar: started with ${TOKEN}`);
      await agent.end('SIGTERM');
      const about = lines.filter((line) => line.includes('secret'));
      const at = (line: string): string =>
        line
          .replace(/^\S+/, 'TIME')
          .replace(folder, '@')
          .replace(/:1:\d+ /, ':1:N ');
      expect(about.map(at)).toEqual(expected);
    },
  );
});
