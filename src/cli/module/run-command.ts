import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { formatProblem, failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { platformOf } from '../../host/list-options.ts';
import type { RunCommand } from '../base/command-context.ts';
import { environmentOf } from '../base/other-machine.ts';
import { isFolder, packFolder } from './pack-folder.ts';
import { createRunMachine, writeRunPolicy, type RunMachine } from './run-machine.ts';
import { checkedFor } from './unusable-package.ts';
import { watchFolders } from './watch-folders.ts';

/** Editors write a file in several steps. */
const QUIET_MS = 300;

/**
 * `modreg module run <folder>`: an agent of its own runs the folder as a module until a signal, and replaces it when its files change, as a
 * machine does with a release (D245).
 */
export async function moduleRunCommand(
  folder: string,
  { json }: { readonly json?: true },
  world: World,
  run: RunCommand,
): Promise<Outcome> {
  const platform = platformOf({}, world);
  if (!platform.ok) return failed(platform.error);
  if (!isFolder(folder)) return failed(usage(`${quote(folder)} is not a folder`));
  const name = basename(resolve(folder));
  const { TMPDIR = '' } = world.environment;
  const created = createRunMachine(name, TMPDIR === '' ? tmpdir() : TMPDIR);
  if (!created.ok) return failed(created.error);
  const machine = created.value;
  const inner = { ...world, environment: environmentOf(machine.home, world) };
  const ending = new AbortController();
  const registry = servedFor(inner, run);
  try {
    const address = await registry.address;
    if (!address.ok) return address.error;
    writeRunPolicy(machine, address.value);
    const publish = publisher(folder, { machine, platform: platform.value, inner, run });
    const first = await publish();
    if (!first.ok) return failed(...first.error);
    // With --json, stdout has the lines of the agent alone.
    const say = (line: string): void => (json ? world.note(line) : world.print(line));
    say(
      `${excerpt(folder)} is ${first.value}; each change of its files is the next one (Ctrl-C ends)`,
    );
    const following = follow(folder, { publish, say }, ending.signal);
    const outcome = await run(['agent', 'run', machine.config, ...(json ? ['--json'] : [])], inner);
    ending.abort();
    await following;
    return outcome;
  } finally {
    ending.abort();
    await registry.end();
    await rm(machine.folder, { recursive: true, force: true });
  }
}

/** A registry of its own, which tells the agent of each change at once. */
function servedFor(
  inner: World,
  run: RunCommand,
): { readonly address: Promise<Result<string, Outcome>>; readonly end: () => Promise<void> } {
  const address = Promise.withResolvers<Result<string, Outcome>>();
  const ending = Promise.withResolvers<'SIGTERM'>();
  const take = (line: string): void => {
    // A cast: the registry has written it.
    const { address: value } = JSON.parse(line) as { readonly address?: string };
    if (value !== undefined) address.resolve({ ok: true, value });
  };
  const serving = run(['registry', 'serve', '--port', '0', '--json'], {
    ...inner,
    print: take,
    note: () => undefined,
    log: (stream, line) => (stream === 'stdout' ? take(line) : undefined),
    status: () => undefined,
    untilSignal: async () => await ending.promise,
  });
  serving.then((error) => address.resolve({ ok: false, error }), address.reject);
  const end = async (): Promise<void> => {
    ending.resolve('SIGTERM');
    await serving.catch(() => undefined);
  };
  return { address: address.promise, end };
}

/** Publishes the folder as the next version, and returns that; undefined if its content is that of the last one. */
type Publish = () => Promise<Result<string | undefined, Problem[]>>;

interface Publishing {
  readonly machine: RunMachine;
  readonly platform: Parameters<typeof checkedFor>[2][0];
  readonly inner: World;
  readonly run: RunCommand;
}

function publisher(folder: string, { machine, platform, inner, run }: Publishing): Publish {
  let patch = 0;
  let last = '';
  return async () => {
    const archive = join(machine.folder, 'package.tar.gz');
    const packed = await packFolder(folder, archive);
    if (!packed.ok) return { ok: false, error: [packed.error] };
    if (packed.value.sha256 === last) return { ok: true, value: undefined };
    last = packed.value.sha256;
    const checked = await checkedFor(archive, folder, [platform]);
    if (!checked.ok) return { ok: false, error: [checked.error] };
    patch += 1;
    const version = `0.0.${patch}`;
    const release = [machine.moduleId, version, '--upload', `${platform}=${archive}`];
    // Checked above, in words about the folder.
    const { problems } = await run(['registry', 'publish', ...release, '--no-check'], inner);
    const errors = problems.filter(({ severity }) => severity === 'error');
    return errors.length > 0 ? { ok: false, error: errors } : { ok: true, value: version };
  };
}

/** Publishes the folder again after each change of its files, until `signal` is aborted. What cannot be run is said once, and changes nothing. */
async function follow(
  folder: string,
  { publish, say }: { readonly publish: Publish; readonly say: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  // What changed before the first watch was called by none.
  const seen = { isChanged: true };
  const watched = (): ReturnType<typeof watchFolders> =>
    watchFolders(folder, () => (seen.isChanged = true));
  let watches = watched();
  let said = '';
  for (;;) {
    const isOver = await delay(QUIET_MS, false, { signal }).catch(() => true);
    if (isOver) break;
    if (!seen.isChanged && watches.isComplete) continue;
    seen.isChanged = false;
    // New folders are watched before they are read, so that no change is between.
    watches.close();
    watches = watched();
    const published = await publish();
    const lines = published.ok ? [] : published.error.flatMap(formatProblem);
    if (lines.join('\n') !== said) lines.forEach((line) => say(line));
    said = lines.join('\n');
    if (published.ok && published.value !== undefined)
      say(`the files changed: ${published.value} follows`);
  }
  watches.close();
}
