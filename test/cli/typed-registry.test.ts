import { expect, it } from 'vitest';
import { withTypedRegistry } from '../../src/cli/base/typed-registry.ts';
import { commandLine } from '../../src/cli/program.ts';
import { quietWorld } from '../support/quiet-world.ts';
import type { Outcome } from '../../src/base/problem.ts';

const AT = 'https://registry.example';
const MODREG = commandLine([], [], { world: quietWorld('linux/x64'), finish: () => undefined });

function outcome(text: string): Outcome {
  const problem = { severity: 'error', kind: 'usage', message: text, hint: text } as const;
  return { answer: [text], notes: [text], problems: [problem] };
}

it.each([
  [
    'look at modreg rollout status acme:lidar 1.3.0, then raise it',
    AT,
    `look at modreg rollout status --registry ${AT} acme:lidar 1.3.0, then raise it`,
  ],
  [
    'modreg fleet machines lists them; modreg fleet config show --machine r prints it',
    AT,
    `modreg fleet machines --registry ${AT} lists them; modreg fleet config show --registry ${AT} --machine r prints it`,
  ],
  [
    "modreg resolve acme:lidar '1.2.*' --explain",
    './my lists',
    "modreg resolve --registry './my lists' acme:lidar '1.2.*' --explain",
  ],
  // One that names its registry.
  [`modreg accept acme:lidar --registry ${AT}/x accepts it`, AT, undefined],
  ['modreg registry publish --help shows how', AT, undefined],
  // These take none, are no commands, or are about the machine.
  ['modreg registry token create --name <name> --scope publish', AT, undefined],
  ['run modreg registry verify where it runs', AT, undefined],
  ['modreg status shows it', AT, undefined],
  ['this modreg and modreg nothing', AT, undefined],
  // It reads documents, and lists of a registry only if it is named.
  ['modreg check ./policy.json --as machine shows them all', AT, undefined],
  // An address that cannot be used.
  ['modreg fleet machines lists them', 'https://me:secret@registry.example', undefined],
])('[D448] %s, at %s', (text, registry, expected = text) => {
  expect(withTypedRegistry(outcome(text), registry, MODREG)).toEqual({
    answer: [text],
    notes: [expected],
    problems: [{ severity: 'error', kind: 'usage', message: text, hint: expected }],
  });
});
