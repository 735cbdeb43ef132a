import { RegistryError } from '../registry/registry-error.ts';
import { NOTHING_LISTENS } from '../registry/http/network-failure.ts';
import type { Result } from '../core/index.ts';
import { parseRegistryAddress, type RegistryAddress } from '../registry/address.ts';
import {
  registryWriter,
  type ChangeResult,
  type RegistryWriter,
} from '../registry/registry-writer.ts';
import { fetchIn } from '../base/network.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import { clockOf, type World } from '../base/world.ts';
import type { CatalogueOptions } from './catalogue-options.ts';
import { errorWithHint } from '../host/registry-hints.ts';
import { tokensIn } from '../host/registry-token.ts';

/** Which registry is meant: a file, or one over HTTP. */
export interface ChangeOptions extends CatalogueOptions {
  readonly registry?: string;
}

/** The result of `work` on the registry that `--registry` names, or why it has none. */
export async function withWriter<T>(
  { db, registry = '' }: ChangeOptions,
  world: World,
  work: (writer: RegistryWriter) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  if (db !== undefined) return { ok: false, error: TWO_REGISTRIES };
  const opened = openWriter(registry, world);
  if (!opened.ok) return opened;
  const { writer, hint } = opened.value;
  const sent = { hasChange: false };
  try {
    return await work(noting(writer, sent));
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ok: false, error: changeProblem(error, { tokenHint: hint, ...sent }) };
  }
}

export const TWO_REGISTRIES: Problem = usage(
  '--db and --registry name two registries, expected one',
);

/** `writer`, which notes in `sent` that a change was sent: reading a rollout changes nothing. */
function noting(writer: RegistryWriter, sent: { hasChange: boolean }): RegistryWriter {
  const noted = <A extends unknown[], T>(change: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      sent.hasChange = true;
      return await change(...args);
    };
  };
  return {
    times: writer.times,
    mayPublish: writer.mayPublish,
    upload: noted(writer.upload),
    publish: noted(writer.publish),
    yank: noted(writer.yank),
    deprecate: noted(writer.deprecate),
    notes: noted(writer.notes),
    trust: noted(writer.trust),
    async rollout(moduleId, version, change) {
      sent.hasChange ||= change !== undefined;
      return await writer.rollout(moduleId, version, change);
    },
  };
}

/** The address of a registry, which may be a path. */
export function addressIn(text: string): Result<RegistryAddress, Problem> {
  const address = parseRegistryAddress(text);
  if (address.ok) return address;
  const message = `the registry address cannot be used: ${address.error}`;
  return { ok: false, error: { severity: 'error', kind: 'bad-address', message } };
}

function openWriter(
  registry: string,
  world: World,
): Result<{ readonly writer: RegistryWriter; readonly hint: string | undefined }, Problem> {
  const address = addressIn(registry);
  if (!address.ok) return address;
  if (!('url' in address.value)) {
    const hint = '--db names the file of a registry';
    return { ok: false, error: { ...usage('--registry is a path, expected an address'), hint } };
  }
  const token = tokensIn(world, registry)(address.value.url);
  if (!token.ok) return token;
  const clock = clockOf(world);
  const writer = registryWriter(address.value, {
    clock,
    fetch: fetchIn(world),
    token: () => token.value.token,
  });
  if (!writer.ok) return { ok: false, error: registryProblem(writer.error) };
  return { ok: true, value: { writer: writer.value, hint: token.value.hint } };
}

/** The errors after which it is not known whether the registry made the change. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
]);

function changeProblem(
  error: RegistryError,
  { tokenHint, hasChange }: { readonly tokenHint: string | undefined; readonly hasChange: boolean },
): Problem {
  const problem = registryProblem(errorWithHint(error, { hint: tokenHint }));
  if (error.kind === 'not-a-registry') {
    return { ...problem, hint: "check the address: a registry with modreg's protocol is needed" };
  }
  if (!UNKNOWN.has(error.kind)) return problem;
  // An attempt before the last one may have been answered by a server that has ended since.
  if (error.hint === NOTHING_LISTENS) {
    return {
      ...problem,
      hint: `${NOTHING_LISTENS}; then run the command again, which changes nothing twice`,
    };
  }
  // The registry has logged why, and a repetition ends in the same way.
  if (/ \(500\)(?::|$)/.test(error.message)) {
    const isMade = hasChange && !error.message.includes(': nothing was changed');
    const made = isMade ? 'the registry may have made the change: ' : '';
    const hint = `${made}look at its log, and run modreg registry verify where it runs`;
    return { ...problem, hint };
  }
  if (!hasChange) return problem;
  return {
    ...problem,
    hint: 'the registry may have made the change: run the command again, which then changes nothing',
  };
}

/** What to do if a release exists with other content. */
export const NEVER_CHANGES =
  'a release never changes: yank it, and publish another version, with the files of all its platforms in one command';

/** The problem for a change that the registry refused. */
export function refusalProblem(refused: Exclude<ChangeResult, { kind: 'done' }>): Problem {
  const { kind, detail, errors } = refused;
  const because = errors.filter((line) => line !== detail);
  switch (kind) {
    case 'already-published':
      return { severity: 'error', kind, message: detail, hint: NEVER_CHANGES };
    case 'bad-file':
    case 'bad-release':
      return { severity: 'error', kind: 'bad-value', message: detail, because };
    case 'storage-full': {
      const message = `the registry cannot write its files (507): ${detail}`;
      const hint =
        'its disk is full or read-only: run the command again once its operator has changed that';
      return { severity: 'error', kind: 'registry-busy', message, hint };
    }
    case 'older-machines':
      return { severity: 'error', kind, message: detail.replace('force=true', '--force') };
    case 'without-rollout':
    case 'stale-rollout':
    case 'rollout-conflict':
      return { severity: 'error', kind: 'rollout-conflict', message: detail };
    case 'too-large':
    case 'older-front':
    case 'unknown-rollout':
    case 'unknown-module':
    case 'unknown-version':
      return { severity: 'error', kind, message: detail };
  }
}
