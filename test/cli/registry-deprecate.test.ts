import { describe, expect, it } from 'vitest';
import { newFile, registry } from './support/registry-command.ts';
import { inProcess } from '../support/in-process.ts';

describe('[D96] modreg registry deprecate', () => {
  it('deprecates a published release, and reverts it', async () => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.2.8');
    await registry(db, 'publish', 'acme:lidar', '1.2.9');
    const steps: readonly [readonly string[], string][] = [
      [
        ['deprecate', 'acme:lidar', '1.2.9', '--reason', 'use\u001b[2J'],
        'acme:lidar 1.2.9 is deprecated: use\\u{1b}[2J\n',
      ],
      [
        ['deprecate', 'acme:lidar', '1.2.9', '--reason', 'use\u001b[2J'],
        'acme:lidar 1.2.9 is already deprecated: use\\u{1b}[2J\n',
      ],
      [['publish', 'acme:lidar', '1.2.9'], 'acme:lidar: 0 published, 1 unchanged\n'],
      [
        ['deprecate', 'acme:lidar', '1.2.9', '--json'],
        '{"schema":"modreg/registry-deprecate@1","module_id":"acme:lidar","version":"1.2.9","deprecated":""}\n',
      ],
    ];
    for (const [args, stdout] of steps) {
      expect([args, await registry(db, ...args)]).toEqual([args, { stdout, stderr: '', exit: 0 }]);
    }
    const resolved = await inProcess(['resolve', 'acme:lidar', '1.*', '--registry', db, '--json']);
    expect(resolved.stdout).toContain('"version":"1.2.8","latest":"1.2.9"');
    expect(await registry(db, 'undeprecate', 'acme:lidar', '1.2.9')).toMatchObject({
      stdout: 'acme:lidar 1.2.9 is not deprecated\n',
    });
    const again = await inProcess(['resolve', 'acme:lidar', '1.*', '--registry', db, '--json']);
    expect(again.stdout).toContain('"version":"1.2.9","latest":"1.2.9"');
    // Two publications, and three changes: the generation counts each.
    expect((await registry(db, 'list', 'acme', '--json')).stdout).toContain('"generation":5');
  });

  it.each([
    [
      ['acme:lidar', '1.4.0'],
      'error[UNKNOWN_VERSION]: acme:lidar has no version 1.4.0\n  did you mean 1.2.9 ?\nhint: acme:lidar has 1 release: 1.2.9\n',
      1,
    ],
    [
      ['acme:cam', '1.0.0'],
      'error[UNKNOWN_MODULE]: nothing was ever published for acme:cam\nhint: namespace acme has 1 module: lidar\n',
      3,
    ],
    [
      ['acme:lidar', '1.2.9', '--reason', 'x'.repeat(1001)],
      'error[USAGE]: --reason: /reason: longer than 1000 characters\n',
      2,
    ],
  ])('refuses %j', async (args, stderr, exit) => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.2.9');
    expect(await registry(db, 'deprecate', ...args)).toEqual({ stdout: '', stderr, exit });
  });

  it('a deprecation with the publication stays one that a publication must match', async () => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.2.9');
    const found = await registry(db, 'publish', 'acme:lidar', '1.2.9', '--deprecated', 'use 1.3');
    expect(found.stderr).toMatch(/^error\[ALREADY_PUBLISHED\]/);
  });
});
