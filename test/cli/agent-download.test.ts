import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentRunCommand } from '../../src/cli/agent/run-command.ts';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const RUN_AS = process.getuid?.() === 0 ? 'root' : undefined;

it('modreg agent run shows no download that has failed', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'has-other-bytes');
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify({ registry: address.replace(/\/v1$/, ''), run_as: RUN_AS }),
    });
    mkdirSync(`${folder}/home`);
    const { promise: ended, resolve: end } = Promise.withResolvers<'SIGTERM'>();
    const shown: (string | undefined)[] = [];
    await agentRunCommand(
      `${folder}/machine.json`,
      { interval: '1h' },
      {
        ...quietWorld('linux/x64'),
        environment: { PLATFORM_HOME: `${folder}/home`, PATH: process.env['PATH'] },
        clock: Date.now,
        status: (bar) => shown.push(bar),
        log(_, line) {
          if (!line.includes('install of 1.0.0: the release failed')) return;
          shown.push('the release failed');
          end('SIGTERM');
        },
        untilSignal: async () => await ended,
      },
    );
    const failure = shown.indexOf('the release failed');
    expect(shown.slice(failure - 2, failure)).toEqual([
      expect.stringMatching(/^acme_lidar 1\.0\.0 {2}\[#{20}\] 100 %/),
      undefined,
    ]);
  });
});
