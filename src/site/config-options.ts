import type { Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import { fetchIn } from '../base/network.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import { clockOf, type World } from '../base/world.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { errorWithHint } from '../host/registry-hints.ts';
import { tokensIn } from '../host/registry-token.ts';
import { configClient, type ConfigClient, type ConfigRefusal } from '../registry/config-client.ts';
import type { ShownConfig } from '../registry/config-documents.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { noRegistry, serverAddress, type FleetOptions } from './fleet-options.ts';

/** Which machine of which registry. */
export interface ConfigOptions extends FleetOptions {
  readonly machine?: string;
}

/** A machine, and what a registry serves to it. */
export interface Configured<C = ConfigClient> {
  readonly machine: string;
  readonly client: C;
}

const MACHINE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The result of `work` with the documents of a machine, or why they cannot be reached. */
export async function withConfigs<T>(
  options: ConfigOptions,
  world: World,
  work: (configured: Configured) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const serving = { open: configClient, what: 'serves documents of machines' };
  return await withMachine(options, world, serving, work);
}

/** A client of what registries serve to machines, and what a registry does that has some. */
interface Serving<C> {
  readonly open: (...of: Parameters<typeof configClient>) => Result<C, RegistryError>;
  readonly what: string;
}

/** The same with another client. */
export async function withMachine<T, C>(
  options: ConfigOptions,
  world: World,
  serving: Serving<C>,
  work: (configured: Configured<C>) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const { machine } = options;
  if (machine === undefined || !MACHINE_ID.test(machine)) {
    const found = machine === undefined ? 'is missing' : 'is not the id of a machine';
    return { ok: false, error: usage(`--machine ${found}, expected one such as rover-7`) };
  }
  return await withServing(
    options,
    world,
    serving,
    async (client) => await work({ machine, client }),
  );
}

/** The result of `work` with what a registry serves to its machines, or why it cannot be reached. */
export async function withServing<T, C>(
  options: FleetOptions,
  world: World,
  { open, what }: Serving<C>,
  work: (client: C) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const named = namedRegistry(options, world);
  if (named === undefined) return { ok: false, error: noRegistry(what) };
  const address = serverAddress(named);
  if (!address.ok) return address;
  const token = tokensIn(world, options.registry)(address.value.url);
  if (!token.ok) return token;
  const client = open(address.value, {
    clock: clockOf(world),
    fetch: fetchIn(world),
    token: () => token.value.token,
  });
  if (!client.ok) return { ok: false, error: registryProblem(client.error) };
  try {
    return await work(client.value);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ok: false, error: registryProblem(errorWithHint(error, token.value)) };
  }
}

const KINDS = {
  'unknown-config': 'unknown-config',
  'stale-config': 'stale-config',
  'no-configs': 'registry-refused',
  'no-secrets': 'registry-refused',
  'older-front': 'older-front',
  'bad-release': 'bad-value',
  'too-large': 'too-large',
} as const;

const HINTS = {
  'unknown-config': (machine: string) =>
    `modreg fleet config history --machine ${machine} shows the revisions`,
  'stale-config': (machine: string) =>
    `make these changes in yours too, then set it again with --based-on and the newest number; modreg fleet config diff --machine ${machine} compares revisions`,
} as const;

/** Who saved a revision, when and why. */
type SavedRevision = Pick<ShownConfig, 'revision' | 'at' | 'by' | 'reason'>;

/** Nothing replaces the newest revision `of` something that its author may not have seen; `show` prints it (D265). */
export function baseMissing(
  of: string,
  { revision, at, by, reason }: SavedRevision,
  show: string,
): Result<never, Problem> {
  const saved = `revision ${revision} (${at}, ${excerpt(by)}: ${excerpt(reason)})`;
  const message = `${of} has ${saved}, and --based-on is missing: nothing was saved`;
  const hint = `${show} prints it; edit that, and set it with --based-on ${revision}`;
  return { ok: false, error: { severity: 'error', kind: 'stale-config', message, hint } };
}

/** What a registry did, or why it did not; with a hint if it is about the documents of a `machine`. */
export function configResult<T>(
  result: Result<T, ConfigRefusal>,
  machine?: string,
): Result<T, Problem> {
  if (result.ok) return result;
  const { kind, detail: message, changes } = result.error;
  // Documents may be stale because of a fragment, too (D451).
  const isOfFragment = kind === 'stale-config' && changes.length === 0;
  const hintFor = kind in HINTS && !isOfFragment ? HINTS[kind as keyof typeof HINTS] : undefined;
  const hint = machine === undefined ? undefined : hintFor?.(machine);
  // What another person saved meanwhile (D439).
  const because = changes.length === 0 ? [] : ['this was changed since:', ...changes];
  return { ok: false, error: { severity: 'error', kind: KINDS[kind], message, because, hint } };
}
