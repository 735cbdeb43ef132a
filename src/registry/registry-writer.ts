import type { ModuleId, Result } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import type { WebRegistryAddress } from './address.ts';
import { isJsonObject, type JsonObject } from './formats/json-object.ts';
import { parseJson } from './formats/json-text.ts';
import type { Connection } from './http/connection.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Change, Reply, SentFile } from './http/exchange.ts';
import { problemIn } from './http/problem-document.ts';
import { timesOf, type PublishTimes } from './publish-times.ts';
import { RegistryError } from './registry-error.ts';
import { retryBudget } from './retry-budget.ts';
import { tokenRegistry, type TokenRegistryOptions } from './token-registry.ts';

/** Why a registry refused a change, which had no effect. */
type ChangeRefusal =
  | 'already-published'
  | 'bad-release'
  | 'bad-file'
  | 'too-large'
  | 'storage-full'
  | 'unknown-module'
  | 'unknown-version'
  | 'without-rollout'
  | 'older-machines'
  | 'older-front'
  | 'unknown-rollout'
  | 'stale-rollout'
  | 'rollout-conflict';

/** The answer of a registry to a change. All text is escaped. */
export type ChangeResult =
  | { readonly kind: 'done'; readonly json: JsonObject }
  | {
      readonly kind: ChangeRefusal;
      readonly detail: string;
      /** One line for each error in the body; none for other refusals. */
      readonly errors: readonly string[];
    };

/** How a release is published. */
interface PublishTerms {
  /** Also where machines would not read it as it is meant (D93). */
  readonly isForced?: boolean | undefined;
  /** To all machines at once, whatever the registry does by default (D220). */
  readonly isForAll?: boolean | undefined;
}

/**
 * Changes a registry over HTTP. Each change may be repeated without another effect, so a request without a usable answer
 * is repeated. Rejects with a RegistryError if there is none in the end; whether the change was made is then not known.
 */
export interface RegistryWriter {
  /** Sends the file with this sha256 for a release of a module, unless the registry has it. */
  readonly upload: (
    moduleId: ModuleId,
    file: SentFile & { readonly sha256: string },
  ) => Promise<ChangeResult>;
  /** Publishes a release, given as JSON. */
  readonly publish: (
    moduleId: ModuleId,
    release: string,
    how?: PublishTerms,
  ) => Promise<ChangeResult>;
  /**
   * Asks whether releases of the module may be published, with one that has no version: a registry refuses it as `bad-release`, after it has
   * looked at the token, and nothing is changed.
   */
  readonly mayPublish: (moduleId: ModuleId) => Promise<ChangeResult>;
  /** Yanks a version for `reason`, with the signatures of authors; null unyanks it. */
  readonly yank: (
    moduleId: ModuleId,
    version: string,
    reason: string | null,
    signatures?: Readonly<Record<string, string>>,
  ) => Promise<ChangeResult>;
  /** Deprecates a version for `reason`; null reverts it. */
  readonly deprecate: RegistryWriter['yank'];
  /** Adds notes to a version that has none. */
  readonly notes: (moduleId: ModuleId, version: string, notes: string) => Promise<ChangeResult>;
  /** What the registry says of a module: its own time, and the publish time of each version. */
  readonly times: (moduleId: ModuleId) => Promise<PublishTimes>;
  /** Stores the next version of the trust document. */
  readonly trust: (document: string) => Promise<ChangeResult>;
  /** The rollout of a version, after `change`, given as JSON, if there is one. */
  readonly rollout: (moduleId: ModuleId, version: string, change?: string) => Promise<ChangeResult>;
}

/** Room for 20 failures with their reasons. */
const ROLLOUT_REQUEST = {
  accept: 'application/json',
  largest: 1024 * 1024,
  mostTokens: 10_000,
  readsDenial: true,
} as const;

/** A front of a cluster says after 15 s that there is no majority of nodes. */
const CHANGE_ANSWER_MS = 20_000;

/** The status of each refusal. */
const REFUSALS: Readonly<Record<ChangeRefusal, number>> = {
  'already-published': 409,
  'bad-release': 422,
  'bad-file': 422,
  'too-large': 413,
  'storage-full': 507,
  'unknown-module': 404,
  'unknown-version': 404,
  'without-rollout': 409,
  'older-machines': 409,
  'older-front': 409,
  'unknown-rollout': 404,
  'stale-rollout': 409,
  'rollout-conflict': 409,
};

/**
 * Opens a registry for changes. The error is `bad-address` if it speaks another protocol than modreg's, or if others
 * could read the token on the way.
 */
export function registryWriter(
  address: WebRegistryAddress,
  options: TokenRegistryOptions,
): Result<RegistryWriter, RegistryError> {
  const limits = { answerMs: CHANGE_ANSWER_MS, ...options.limits };
  const opened = tokenRegistry(address, 'publish to', { ...options, limits });
  if (!opened.ok) return opened;
  const { where, base, connection } = opened.value;
  const { send, read, trust } = requestsTo(connection, base, where);
  return {
    ok: true,
    value: {
      async rollout(moduleId, version, body) {
        const path = `${releaseAt(version)}/rollout`;
        const absent = `${moduleId} ${version} is not published, or not in a rollout`;
        if (body === undefined) return await read(moduleId, path, absent);
        return await send(moduleId, path, { method: 'POST', body });
      },
      async upload(moduleId, { sha256, ...body }) {
        if (await hasFile(await connection(), base, sha256)) return { kind: 'done', json: {} };
        return await send(moduleId, `artifacts/sha256/${sha256}`, { method: 'PUT', body });
      },
      trust,
      times: async (moduleId) => await timesOf(await connection(), base, moduleId),
      publish: async (moduleId, body, how) =>
        await send(moduleId, releasesPath(how), { method: 'POST', body }),
      mayPublish: async (moduleId) =>
        await send(moduleId, releasesPath(undefined), { method: 'POST', body: '{}' }),
      yank: async (moduleId, version, reason, signatures) =>
        await send(moduleId, `${releaseAt(version)}/yank`, markChange(reason, signatures)),
      async notes(moduleId, version, notes) {
        const change = { method: 'PUT', body: JSON.stringify({ notes }) } as const;
        return await send(moduleId, `${releaseAt(version)}/notes`, change, 'release notes');
      },
      deprecate: async (moduleId, version, reason) =>
        await send(moduleId, `${releaseAt(version)}/deprecation`, markChange(reason)),
    },
  };
}

function releasesPath({ isForced, isForAll }: PublishTerms = {}): string {
  const terms = [isForced ? 'force=true' : '', isForAll ? 'all_at_once=true' : ''].filter(Boolean);
  return terms.length === 0 ? 'releases' : `releases?${terms.join('&')}`;
}

function releaseAt(version: string): string {
  return `releases/${encodeURIComponent(version)}`;
}

interface Requests extends Pick<RegistryWriter, 'trust'> {
  readonly send: (
    id: ModuleId,
    path: string,
    change: Change,
    lacked?: string,
  ) => Promise<ChangeResult>;
  /** `absent` says what is not there if the registry answers 404. */
  readonly read: (id: ModuleId, path: string, absent: string) => Promise<ChangeResult>;
}

/** What a request is about, and whether an answer is. */
interface Subject {
  readonly name: string;
  readonly path: string;
  readonly isOf: (json: JsonObject) => boolean;
  /** What a registry that does not know the address lacks; absent for addresses that all know. */
  readonly lacked?: string;
}

function subjectOf(id: ModuleId, path: string, lacked?: string): Subject {
  return {
    ...(lacked !== undefined && { lacked }),
    name: id,
    path: `v1/modules/${namespaceOf(id)}/${nameOf(id)}/${path}`,
    isOf: (json) => json['module_id'] === id,
  };
}

const TRUST: Subject = {
  name: 'a trust document',
  path: 'v1/trust',
  isOf: (json) => typeof json['version'] === 'number',
};

function requestsTo(connection: () => Promise<Connection>, base: URL, where: string): Requests {
  const answer = async (
    subject: Subject,
    request: (to: Connection, address: URL) => Promise<Reply>,
  ): Promise<ChangeResult> => {
    const to = await connection();
    return await to.redacting(async () => {
      const reply = await request(to, new URL(subject.path, base));
      return withErrorContext(where, () => resultOf(reply, subject));
    });
  };
  const sent = async (subject: Subject, change: Change): Promise<ChangeResult> =>
    await answer(
      subject,
      async (to, address) => await to.send(address, change, { budget: retryBudget() }),
    );
  return {
    send: async (id, path, change, lacked) => await sent(subjectOf(id, path, lacked), change),
    trust: async (document) =>
      await sent(TRUST, { method: 'PUT', body: JSON.stringify({ document }) }),
    read: async (id, path, absent) =>
      await answer(subjectOf(id, path), async (to, address) => {
        const reply = await to.get(address, ROLLOUT_REQUEST, { budget: retryBudget() });
        // A client reads no body of a 404.
        const detail = JSON.stringify({ type: 'urn:modreg:unknown-rollout', detail: absent });
        return reply.status === 404 ? { ...reply, body: { ...reply.body, text: detail } } : reply;
      }),
  };
}

function markChange(reason: string | null, signatures?: Readonly<Record<string, string>>): Change {
  if (reason === null) return { method: 'DELETE', body: undefined };
  return { method: 'PUT', body: JSON.stringify({ reason, signatures }) };
}

/** Whether the registry at `base` has a file, so that it need not be sent. */
async function hasFile(to: Connection, base: URL, sha256: string): Promise<boolean> {
  const address = new URL(`v1/artifacts/sha256/${sha256}`, base);
  const request = { accept: '*/*', etag: `"${sha256}"`, largest: 0, mostTokens: 0 };
  try {
    const reply = await to.redacting(
      async () => await to.get(address, request, { budget: retryBudget() }),
    );
    return reply.status === 304;
  } catch (error) {
    // The registry also fails if it has lost the file, and then takes it again.
    if (error instanceof RegistryError && error.kind === 'registry-busy') return false;
    throw error;
  }
}

function resultOf({ status, body }: Reply, { name, isOf, lacked }: Subject): ChangeResult {
  if (status === 200 || status === 201) {
    const json = parseJson(body.text);
    if (isJsonObject(json) && isOf(json)) return { kind: 'done', json };
    throw notARegistry(`its answer is not about ${name}`);
  }
  const problem = problemIn(body.text);
  // A proxy may limit the size of a body before the registry does.
  if (status === 413) {
    const detail = problem?.detail ?? 'the release is too large for the registry';
    return { kind: 'too-large', detail, errors: [] };
  }
  if (lacked !== undefined && status === 404 && problem?.kind === 'unknown-address') {
    const detail = `the registry takes no ${lacked}: its modreg is an earlier one`;
    return { kind: 'bad-release', detail, errors: [] };
  }
  const kind = refusalOf(problem?.kind);
  if (!problem || kind === undefined || REFUSALS[kind] !== status) {
    throw notARegistry(`got ${status}`);
  }
  return { kind, detail: problem.detail, errors: problem.errors };
}

function refusalOf(kind: string | undefined): ChangeRefusal | undefined {
  return kind !== undefined && Object.hasOwn(REFUSALS, kind) ? (kind as ChangeRefusal) : undefined;
}

function notARegistry(found: string): RegistryError {
  return new RegistryError('not-a-registry', found);
}
