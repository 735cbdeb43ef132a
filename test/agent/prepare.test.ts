import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { installTurns } from '../../src/agent/install/turns.ts';
import { removeUnused } from '../../src/agent/install/retention.ts';
import { prepared } from '../../src/agent/prepare.ts';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import type { ModuleEntry } from '../../src/core/machine/machine.ts';
import type { Delivery } from '../../src/poller/index.ts';
import { upgrade } from '../support/claimed.ts';
import { processesWith } from './support/processes-with.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PLACE } from '../support/installing.ts';
import { configurationOf } from '../support/racing.ts';
import { entry } from '../support/planned.ts';
import { fileServer } from '../../mocks/file-server.ts';
import { tarOf } from '../support/tar-file.ts';

/** Fails as long as the file `broken` is beside the packages. */
const SETUP = '#!/bin/sh\necho set up\n[ ! -e "$PLATFORM_HOME/broken" ] || exit 3\n';

interface Site {
  readonly home: string;
  readonly root: string;
  /** What the first run has written. */
  readonly lines: string[];
  /** Prepares 1.1.0 of the lidar, whose package has a first run. Returns why that failed. */
  readonly prepare: () => Promise<object | undefined>;
}

async function site({
  setup = SETUP,
  cgroups,
}: {
  /** The program of the first run. */
  readonly setup?: string;
  readonly cgroups?: string;
} = {}): Promise<Site> {
  const home = temporaryFolder();
  const root = `${home}/${PLACE}`;
  const program = { mode: 0o755, content: SETUP };
  const { artifact } = await fileServer(
    gzipSync(
      tarOf(
        { name: 'meta.json', content: '{"entrypoint":"run","first_run":"setup"}' },
        { name: 'run', ...program },
        { name: 'setup', mode: 0o755, content: setup },
      ),
    ),
  );
  const runAs = process.getuid?.() === 0 ? 'root' : undefined;
  const { terms } = DEFAULT_POLICY;
  const delivery = {
    action: { ...upgrade({ artifact }), id: '7' },
    entry: configurationOf(entry('acme:lidar', '1.*', 'lidar')).machine.modules[0] as ModuleEntry,
    terms: { ...terms, run: { ...terms.run, runAs } },
    folders: { root, data: undefined },
    signal: new AbortController().signal,
    progress: () => undefined,
    mayProceed: async () => await Promise.resolve({ mayProceed: true }),
    // A cast: preparing reads only these members of a delivery.
  } as unknown as Delivery;
  const lines: string[] = [];
  const preparation = {
    site: { home, machineId: 'local', platform: 'linux/amd64', environment: {} },
    fetch: () => ({}),
    turns: installTurns(),
    runId: `test-${process.pid}`,
    cgroups,
    onEvent: () => undefined,
    onLine: (_: string, { text }: { readonly text: string }) => void lines.push(text),
    stopping: new AbortController().signal,
  } as const;
  return {
    home,
    root,
    lines,
    prepare: async () => {
      const result = await prepared(delivery, preparation);
      return result.ok ? undefined : result.error;
    },
  };
}

it('the first run of a package takes place once', async () => {
  const { lines, prepare } = await site();
  expect([await prepare(), await prepare()]).toEqual([undefined, undefined]);
  expect(lines).toEqual(['set up']);
});

it('a first run that fails is the failure of the release, and takes place again', async () => {
  const { home, lines, prepare } = await site();
  writeFileSync(`${home}/broken`, '');
  const reason = 'its first run failed: it ended with exit code 3';
  expect(await prepare()).toEqual({ blame: 'release', reason, isFirstRun: true });
  rmSync(`${home}/broken`);
  expect(await prepare()).toBeUndefined();
  expect(lines).toEqual(['set up', 'set up']);
});

it.each<[string, (site: Site) => Promise<unknown> | void]>([
  [
    'the package was unused',
    async ({ home }) => await removeUnused(home, { kept: new Set(), now: Infinity }),
  ],
  ['somebody removed the package', ({ root }) => rmSync(root, { recursive: true })],
])('the first run takes place again after %s, and it is installed again', async (_, remove) => {
  const machine = await site();
  await machine.prepare();
  await remove(machine);
  expect(await machine.prepare()).toBeUndefined();
  expect(machine.lines).toEqual(['set up', 'set up']);
});

it('[T273] a first run has a cgroup of its own, which is emptied at its end', async () => {
  const cgroups = temporaryFolder();
  const own = `${cgroups}/test-${process.pid}.lidar.first-run`;
  mkdirSync(own);
  writeFileSync(`${own}/cgroup.kill`, '');
  const { prepare } = await site({ cgroups });
  expect(await prepare()).toBeUndefined();
  const [members, kill] = ['cgroup.procs', 'cgroup.kill'].map((name) =>
    readFileSync(`${own}/${name}`, 'utf8'),
  );
  expect({ members, kill }).toEqual({ members: '0\n', kill: '1' });
});

/** A cgroup of this system that the test may use; undefined if there is none. */
function realCgroup(): string | undefined {
  const mounts = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+) cgroup2 /gm);
  for (const [, mount = ''] of mounts) {
    try {
      const folder = mkdtempSync(`${mount}/modreg-test-`);
      onTestFinished(() => rmdirSync(folder));
      return folder;
    } catch {
      // It is read-only, or of another user.
    }
  }
  return undefined;
}

it('[T273] nothing is left of a first run, not even in another session with another environment', async ({
  skip,
}) => {
  const cgroups = realCgroup();
  if (cgroups === undefined) {
    skip('no cgroup of the second version can be written');
    return;
  }
  const seconds = `1000.${process.pid}`;
  const setup = `#!/bin/sh\nsetsid -f env -i sleep ${seconds} >/dev/null 2>&1\n`;
  const { prepare } = await site({ setup, cgroups });
  expect(await prepare()).toBeUndefined();
  expect(processesWith(seconds)).toEqual([]);
  expect(readdirSync(cgroups, { withFileTypes: true }).filter((one) => one.isDirectory())).toEqual(
    [],
  );
});
