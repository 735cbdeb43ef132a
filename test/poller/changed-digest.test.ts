import { expect, it } from 'vitest';
import { day, MINUTE, type Day, type DayOptions } from '../support/day.ts';
import type { Releases } from '../../src/testing/catalogues.ts';
import { entry } from '../support/planned.ts';

function release(version: string): Releases[string][number] {
  const url = `https://cdn.example/${version}`;
  return { version, artifacts: [{ platform: 'any', url, digest: FIRST }] };
}

const FIRST = `sha256:${'aa'.repeat(32)}`;
const OTHER = `sha256:${'bb'.repeat(32)}`;

/** A machine whose registry can change the digest of 1.2.4. */
async function machineWith(
  options: Partial<DayOptions>,
): Promise<{ readonly machine: Day; readonly change: () => void }> {
  let isChanged = false;
  const altered = (body: string): string =>
    isChanged ? body.replace(/("1\.2\.4".*?)sha256:a{64}/, `$1${OTHER}`) : body;
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [release('1.2.3'), release('1.2.4')] },
    altered,
    ...options,
  });
  const change = (): void => {
    isChanged = true;
    // The list has another generation.
    machine.registry.publish('acme:lidar', release('1.2.2'));
  };
  return { machine, change };
}

/** The registry cannot be reached for some time, and then has another file of 1.2.4. */
async function returnWithChange(
  machine: Day,
  change: () => void,
  process: 'same' | 'next',
): Promise<void> {
  machine.registry.break({ kind: 'offline', times: Infinity });
  await machine.pass(3 * MINUTE);
  if (process === 'next') await machine.restart();
  await machine.pass(3 * MINUTE);
  machine.registry.mend();
  change();
}

function reason({ state }: Day): string | undefined {
  return state.decisions()[0]?.reason;
}

it.each(['same', 'next'] as const)(
  '[T30] a digest that changed while a saved list stood in is found by the %s process',
  async (process) => {
    let isAllowed = false;
    const { machine, change } = await machineWith({ isMaintenanceAllowed: () => isAllowed });
    await machine.pass(MINUTE);
    await returnWithChange(machine, change, process);
    await machine.pass(20 * MINUTE);
    isAllowed = true;
    await machine.pass(2 * MINUTE);
    const refused = `1.2.4 is refused: digest changed: ${OTHER} for any, first seen as ${FIRST}`;
    expect([reason(machine), machine.deliveries]).toEqual([`stays at 1.2.3: ${refused}`, []]);
  },
);

it.each([
  ['is superseded, if no consumer has it', 'later', 'superseded'],
  ['is not delivered again', 'at once', 'withdrawn'],
] as const)(
  '[T18] [T30] an action from a saved list whose digest changed %s',
  async (_, takesUp, end) => {
    const { machine, change } = await machineWith({ takesUp });
    await machine.pass(MINUTE);
    const [open] = machine.state.memory().open;
    machine.story();
    await returnWithChange(machine, change, 'same');
    await machine.restart();
    await machine.pass(20 * MINUTE);
    expect(open?.action.artifact?.digest).toBe(FIRST);
    expect(machine.story().at(-1)?.slice(9)).toBe(`${end} acme_lidar 1.2.3 → 1.2.4`);
  },
);
