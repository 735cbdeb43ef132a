import type { ModuleId, ReleaseRecord } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import type { OpenRegistry } from '../../registries/open-registries.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { RegistryFacts } from './probe-registry.ts';

type Kind = OpenRegistry['address']['kind'];

const { info, warning } = findingsOf('registry');

/** What modreg does with a registry of each kind, as in the table of docs/registry.md. */
const KINDS: Readonly<Record<Kind, string>> = {
  modreg:
    'a registry of modreg: lists, ages, digests, files; publishing; wakes pollers at each change',
  npm: 'an npm registry: lists, ages, digests, files; no publishing by modreg, and no wake-up',
  oci: 'an OCI registry: lists, ages, digests, files; no publishing by modreg, and no wake-up',
  github:
    'a repository on GitHub: lists, ages, digests, files; no publishing by modreg, and no wake-up',
  folder:
    'a folder: lists, and the ages, digests and addresses of files that they have; no wake-up',
  database:
    'the file of a registry: lists, ages, digests; publishing; files only through a server, and no wake-up',
};

/** What a registry that a person named is, what modreg can do with it, and what its lists lack. */
export function abilityFindings({ from, kind, lists, other }: RegistryFacts): Finding[] {
  if (other !== undefined) {
    return [warning(`${from} responds as ${NAMES[other]} does`, `write ${other}:${from}`)];
  }
  const read = Array.from(lists ?? []).flatMap(([moduleId, list]) =>
    list.ok ? [info(lackOf(moduleId, list.value))] : [],
  );
  return [info(`${from} is ${KINDS[kind]}`), ...read];
}

const DEADLINE_MS = 4000;
const NAMES = { npm: 'an npm registry', oci: 'an OCI registry' } as const;

/** What releases must have to be refused by no rule that the policy may have. */
const PARTS: Readonly<Record<string, (release: ReleaseRecord) => boolean>> = {
  'a publish time': ({ publishedAt }) => publishedAt !== undefined,
  'a file with an address': ({ artifacts = [] }) => artifacts.some(({ url }) => url !== undefined),
  'a sha256 or sha512': ({ artifacts = [] }) =>
    artifacts.length > 0 && artifacts.every(({ digest = '' }) => /^sha(?:256|512):/.test(digest)),
};

function lackOf(moduleId: ModuleId, { records }: ReleaseList): string {
  const releases = [...records];
  const lacks = Object.entries(PARTS).flatMap(([part, has]) => {
    const count = releases.filter((one) => !has(one)).length;
    return count === 0 ? [] : [`${count} without ${part}`];
  });
  const lacking =
    lacks.length === 0 ? 'each has a publish time, a file and a digest' : lacks.join(', ');
  return `${excerpt(moduleId)}: ${countOf(releases.length, 'release')}; ${lacking}`;
}

/**
 * The kind of a server that does not respond as modreg's own registry: by the version of the API that each path of an OCI registry names (OCI
 * Distribution, "Determining Support"), or by the ping of an npm registry. Undefined if it is neither.
 */
export async function otherKind(
  url: URL,
  fetch: typeof globalThis.fetch,
): Promise<'npm' | 'oci' | undefined> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = async (path: string, base: string): Promise<Response | undefined> => {
    try {
      const response = await fetch(new URL(path, base), { signal, redirect: 'manual' });
      await response.body?.cancel();
      return response;
    } catch {
      return undefined;
    }
  };
  const base = `${url.href.replace(/\/*$/, '')}/`;
  const [oci, npm] = await Promise.all([answer('/v2/', url.origin), answer('-/ping', base)]);
  if (oci?.headers.has('docker-distribution-api-version') === true) return 'oci';
  const isPing = npm?.status === 200 && /json/.test(npm.headers.get('content-type') ?? '');
  return isPing ? 'npm' : undefined;
}
