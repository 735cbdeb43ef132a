import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { githubRepository } from '../../mocks/github-registry.ts';
import { served, type Answer } from '../../mocks/network.ts';
import { ociContents, ociRepository, withTokenServer } from '../../mocks/oci-registry.ts';
import { packageOf, withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { siteOf } from './support/lidar-site.ts';

/** An agent in a process of its own, of the modreg in a folder. */
function agentOf(root: string, folder: string): ChildProcessByStdio<null, Readable, Readable> {
  const args = ['agent', 'run', `${folder}/machine.json`, '--platform', 'linux/amd64'];
  const child = spawn(`${root}/bin/modreg`, [...args, '--interval', '5s'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      PLATFORM_HOME: `${folder}/home`,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Resolves once the module has started these versions, one after another. */
async function untilStarted(folder: string, versions: readonly string[]): Promise<void> {
  const record = `${folder}/home/module-data/local/acme_lidar/record`;
  const expected = versions.map((version) => `started ${version}\n`).join('');
  const isOver = (): boolean => existsSync(record) && readFileSync(record, 'utf8') === expected;
  for await (const _ of watch(`${folder}/home`, { recursive: true })) if (isOver()) return;
}

it('[T370] an agent whose files are gone installs, rolls back and ends in order', async () => {
  await withUpgradeReleases(async ({ address, publish }) => {
    const root = temporaryFolder();
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(`${ROOT}${part}`, `${root}/${part}`, { recursive: true });
    symlinkSync(`${ROOT}node_modules`, `${root}/node_modules`);
    publish('1.0.0', 'works');
    const agent = agentOf(root, siteOf(address));
    const lines: string[] = [];
    const ended = once(agent, 'exit');
    for await (const line of createInterface(agent.stdout)) {
      lines.push(line.replace(/^\S+ +/, ''));
      if (line.includes('install of 1.0.0: done')) {
        for (const part of ['bin', 'dist', 'package.json', 'node_modules'])
          rmSync(`${root}/${part}`, { recursive: true });
        publish('1.1.0', 'works');
      }
      if (line.includes('1.0.0 → 1.1.0: done')) publish('1.2.0', 'fails-at-once');
      if (line.includes('1.2.0 is in quarantine')) agent.kill('SIGTERM');
    }
    expect([await ended, lines.at(-1)]).toEqual([[0, null], 'info  all modules are stopped']);
    expect(lines.filter((line) => /cannot find|ERR_MODULE/i.test(line))).toEqual([]);
  });
});

describe('[T371] what reads the log of an agent', () => {
  it('stops reading: the agent goes on, also with what modules print, and ends in order', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const agent = agentOf(ROOT, folder);
      await untilStarted(folder, ['1.0.0']);
      publish('1.1.0', 'works');
      await untilStarted(folder, ['1.0.0', '1.1.0']);
      const ended = once(agent, 'exit');
      agent.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    });
  });

  it('ends: the agent goes on, and ends in order', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const agent = agentOf(ROOT, folder);
      agent.stdout.destroy();
      await untilStarted(folder, ['1.0.0']);
      publish('1.1.0', 'works');
      await untilStarted(folder, ['1.0.0', '1.1.0']);
      const ended = once(agent, 'exit');
      agent.kill('SIGTERM');
      // As of a process that SIGPIPE ends.
      expect(await ended).toEqual([141, null]);
    });
  });
});

/** The releases that are published by the time of a request, in a registry that asks for a token: each is an index of images. */
function inOci(published: readonly string[]): Answer {
  return withTokenServer((request) => {
    const releases = published.map((version) => {
      const file = { body: packageOf(version, 'works'), platform: 'linux/amd64' };
      return [`v${version}`, [file, { ...file, platform: 'linux/arm64' }]] as const;
    });
    return ociRepository('acme/lidar', ociContents(Object.fromEntries(releases)))(request);
  });
}

/** The same as releases on GitHub. */
function onGithub(published: readonly string[]): Answer {
  return (request) => {
    const { origin, pathname } = new URL(request.url);
    const [, asked] = /^\/files\/(.+)$/.exec(pathname) ?? [];
    if (asked !== undefined) return new Response(Buffer.from(packageOf(asked, 'works')));
    const releases = published.map((version) => {
      const file = packageOf(version, 'works');
      const asset = {
        name: 'lidar-linux-amd64.tar.gz',
        digest: `sha256:${createHash('sha256').update(file).digest('hex')}`,
        size: file.length,
        browser_download_url: `${origin}/files/${version}`,
      };
      return { tag_name: `v${version}`, assets: [asset] };
    });
    return githubRepository(...releases)(request);
  };
}

describe('an agent installs and upgrades', () => {
  it.for([
    ['from an OCI registry', inOci, (origin: string) => `oci:${origin}`],
    ['from GitHub', onGithub, (origin: string) => `github:${origin}/acme/lidar`],
  ] as const)('%s', async ([, answers, addressOf]) => {
    const published = ['1.0.0'];
    const folder = siteOf(addressOf(await served(answers(published))));
    const agent = agentOf(ROOT, folder);
    await untilStarted(folder, ['1.0.0']);
    published.push('1.1.0');
    await untilStarted(folder, ['1.0.0', '1.1.0']);
    const ended = once(agent, 'exit');
    agent.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
