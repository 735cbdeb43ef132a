import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import { printed } from '../support/command.ts';
import { logged } from '../support/machine-home.ts';
import { patient } from './support/patient.ts';
import { THEN } from './support/examined.ts';

const RUNS_HERE = { hasSystemd: () => true };
const IS_MISSING = { hasSystemd: () => false };

/** What `modreg doctor` says to do about the checks of these names. */
async function fixes(
  folder: string,
  check: string,
  systemd: { readonly hasSystemd: () => boolean },
): Promise<string[]> {
  const environment = { PLATFORM_HOME: `${folder}/home` };
  const world = { environment, clock: () => THEN, ...systemd };
  const { stdout } = await printed(['doctor'], world);
  return stdout
    .join('\n')
    .split(/\n(?! )/)
    .filter((finding) => finding.split(/ +/)[1] === check)
    .flatMap((finding) => finding.split('\n').slice(1))
    .map((line) => line.trim());
}

function withAgent(): string {
  const folder = patient((state) => {
    state.log([logged('acme_lidar')], { at: THEN - 1000, trouble: undefined });
  });
  openLog(`${folder}/home/logs.db`, 'create').close();
  return folder;
}

function damaged(): string {
  const folder = patient();
  writeFileSync(`${folder}/home/machine.db`, 'x'.repeat(5000), { mode: 0o600 });
  return folder;
}

it.each<[string, () => string, string, Readonly<Record<'there' | 'without', string>>]>([
  [
    'an agent has ended',
    withAgent,
    'poller',
    {
      there:
        'fix: systemctl start modreg-agent, or modreg agent run machine.json; systemctl status modreg-agent, and modreg agent logs say why it ended',
      without: 'fix: modreg agent run machine.json; modreg agent logs say why it ended',
    },
  ],
  [
    'nothing has run',
    patient,
    'poller',
    {
      there:
        'next: modreg agent run machine.json, or with the Debian package systemctl enable --now modreg-agent',
      without: 'next: modreg agent run machine.json',
    },
  ],
  [
    'machine.db is damaged',
    damaged,
    'home',
    {
      there:
        'fix: restart the agent or poller, which sets aside what is damaged: systemctl restart modreg-agent',
      without: 'fix: restart the agent or poller, which sets aside what is damaged',
    },
  ],
])(
  '[D407] doctor names no systemctl where systemd does not run: %s',
  async (_, made, check, { there, without }) => {
    const folder = made();
    expect(await fixes(folder, check, RUNS_HERE)).toEqual([there]);
    expect(await fixes(folder, check, IS_MISSING)).toEqual([without]);
  },
);
