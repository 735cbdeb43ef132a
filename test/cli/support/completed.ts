import { expect } from 'vitest';
import { printed } from '../../support/command.ts';

/** The time of the completed commands. */
export const NOW = Date.parse('2026-11-24T12:00:00Z');

/** The lines that a shell gets for `modreg <line>`, of which the last word may be empty. */
export async function lines(
  line: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const world = { environment, clock: () => NOW };
  const { stdout, stderr, exit } = await printed(['__complete', '--', ...line.split(' ')], world);
  expect([stderr, exit]).toEqual([[], 0]);
  return stdout;
}

/** The offered words, without their descriptions. */
export async function words(
  line: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await lines(line, environment)).map((one) => one.split(' ', 1)[0]).join(' ');
}
