import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signerWith } from '../../src/host/signing-program.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { quietWorld } from '../support/quiet-world.ts';

const TARGETS = [
  ['--machine', 'rover-7'],
  ['--group', 'canary'],
] as const;
const LONG = 'x'.repeat(201);

it.each([
  [['restart', ''], 'module: found "", expected 1 to 256 characters'],
  [['unhold', ' '], 'module: found " ", expected more than spaces'],
  [['unquarantine', 'acme:lidar', ''], 'version: found "", expected 1 to 256 characters'],
  [
    ['restart', 'acme:lidar', '--reason', LONG],
    `--reason: found "${LONG.slice(1)}…", expected 1 to 200 characters`,
  ],
  [
    ['restart', 'acme:lidar', '--reason', 'a\nb'],
    String.raw`--reason: found "a\u{a}b", expected text without control characters`,
  ],
])(
  '[D458] %j is refused before it is signed, for a machine and for a group',
  async (args, fault) => {
    const folder = temporaryFolder();
    const [program, mark] = [join(folder, 'sign'), join(folder, 'asked')];
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    for (const target of TARGETS) {
      const more = ['--sign-with', program, '--registry', 'http://127.0.0.1:1', ...target];
      const reason = args.includes('--reason') ? [] : ['--reason', 'no points'];
      expect(await printed(['fleet', ...args, ...reason, ...more])).toEqual({
        stdout: [],
        stderr: [`error[BAD_VALUE]: ${fault}`],
        exit: 1,
      });
    }
    expect(existsSync(mark)).toBe(false);
  },
);

it.each([
  ['/bin/false', 'ended with 1'],
  [
    '/bin/true',
    'did not print a public key ed25519:… and 64 bytes in base64, with a space between',
  ],
])('[D458] %s does not read what it is to sign: it %s', (program, why) => {
  // More than a pipe takes, so that writing it fails.
  const signed = signerWith(program, quietWorld('linux/arm64'))('x'.repeat(1_000_000));
  expect(signed).toMatchObject({
    ok: false,
    error: { kind: 'usage', message: `"${program}" ${why}; nothing is signed with it` },
  });
});

it.each([
  [['hold', '--for', '1h', '--reason', 'fair']],
  [['restart', 'acme:lidar', '--reason', 'no points']],
  [['commands']],
])('[D459] fleet %j without a target names both that it may have', async (args) => {
  const registry = ['--registry', 'http://127.0.0.1:1'];
  expect(await printed(['fleet', ...args, ...registry])).toEqual({
    stdout: [],
    stderr: [
      'error[USAGE]: --machine and --group are missing, expected one of them, such as --machine rover-7 or --group canary',
    ],
    exit: 2,
  });
});
