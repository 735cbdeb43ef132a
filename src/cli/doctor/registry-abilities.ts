import { statSync } from 'node:fs';
import type { ModuleId, ReleaseRecord } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { writtenAddress } from '../../registry/address.ts';
import type { OpenRegistry } from '../../registries/open-registries.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { isDescribed } from '../../registry/wanted-documents.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { RegistryFacts } from './probe-registry.ts';

type Kind = OpenRegistry['address']['kind'];

const { error, info, warning } = findingsOf('registry');

/** What modreg does with a registry of each kind, as in the table of docs/registry.md. */
const KINDS: Readonly<Record<Kind, string>> = {
  modreg:
    'a registry of modreg: lists, ages, digests, files; publishing; wakes pollers at each change; takes a token',
  npm: 'an npm registry: lists, ages up to 64 MiB, digests, files; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
  oci: 'an OCI registry: lists, ages if annotated, digests, files of one layer; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
  github:
    'a repository on GitHub: lists, ages, digests since June 2025, files; no publishing by modreg, and no wake-up; takes a token',
  folder:
    'a folder: lists, and the ages, digests and addresses of files that they have; no publishing, and no wake-up',
  database:
    'the file of a registry: lists, ages, digests, only files of other servers; publishing; no wake-up',
};

/** What a registry that a person named is, what modreg can do with it, and what it and its lists lack. */
export function abilityFindings(facts: RegistryFacts): Finding[] {
  const { lists, url } = facts;
  const read = Array.from(lists ?? []).flatMap(([moduleId, list]) =>
    list.ok ? [info(lackOf(moduleId, list.value))] : [],
  );
  return [...(url ? webFindings(facts, url) : pathFindings(facts)), ...read];
}

/** What a server is, by what it answers (T513). Of one that does not answer, nothing is known. */
function webFindings(
  { from, kind, identity, lists, hasToken }: RegistryFacts,
  url: URL,
): Finding[] {
  const answers = Array.from(lists?.values() ?? [], (list) => list.ok && !list.value.stale);
  if (answers.includes(true) || identity?.kinds.has(kind) === true) {
    const token = hasToken ? '' : ' (none is known for it)';
    const isLocked = identity?.asksPassword === true && !hasToken;
    const lock = `${from} asks for a user and a password, and none are known for it`;
    return [
      info(`${from} is ${KINDS[kind]}${token}`),
      ...(isLocked ? [warning(lock, tokenFix(url, '<user>:<password>'))] : []),
    ];
  }
  if (identity?.answer === undefined) return [];
  const others = WEB.filter((one) => identity.kinds.has(one));
  const [other] = others;
  if (other !== undefined) {
    const written = others.map((one) => excerpt(writtenAddress({ kind: one, url }))).join(' or ');
    return [
      warning(`${from} responds as ${NAMES[other]} does`, `write ${written}`),
      info(`${written.split(' ')[0]} is ${KINDS[other]}`),
    ];
  }
  if (identity.isDenied) {
    const found = `${from} answers ${identity.answer} without a token, so its kind is not known`;
    return [warning(found, tokenFix(url, '<token>'))];
  }
  const found = `${from} is no registry that modreg reads: it answers ${identity.answer}`;
  return [warning(found, ADDRESSES)];
}

const WEB = ['modreg', 'npm', 'oci'] as const;
const NAMES = {
  modreg: 'a registry of modreg',
  npm: 'an npm registry',
  oci: 'an OCI registry',
} as const;
const ADDRESSES =
  'correct the address: modreg reads https://host (its own), npm:https://host, oci:https://host, github:owner/name, folders and .db files';

function tokenFix({ origin }: URL, what: string): string {
  return `add the line "${origin} ${what}" to $PLATFORM_HOME/tokens (mode 0600)`;
}

/** What a path is. */
function pathFindings({ from, kind, path = '' }: RegistryFacts): Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (kind === 'folder' && !stats.isDirectory()) {
    const found = `${from} is no folder of release lists, and no file that ends in .db`;
    return [
      error(found, 'name a folder with <namespace>/<name>.json, or the .db file of a registry'),
    ];
  }
  if (kind === 'database' && !stats.isFile()) {
    return [error(`${from} is no file`, 'write a / at the end of a folder whose name ends in .db')];
  }
  return [info(`${from} is ${KINDS[kind]}`)];
}

/** What releases must have to be refused by no rule that the policy may have. */
const PARTS: Readonly<Record<string, (release: ReleaseRecord) => boolean>> = {
  'a publish time': ({ publishedAt }) => publishedAt !== undefined,
  'a file with an address': ({ artifacts = [] }) => artifacts.some(({ url }) => url !== undefined),
  'a sha256 or sha512': ({ artifacts = [] }) =>
    artifacts.length > 0 && artifacts.every(({ digest = '' }) => /^sha(?:256|512):/.test(digest)),
};

function lackOf(moduleId: ModuleId, { records, isDescribedApart }: ReleaseList): string {
  const releases = [...records];
  const isRead = (one: ReleaseRecord): boolean => !isDescribedApart || isDescribed(one);
  const unread = releases.filter((one) => !isRead(one)).length;
  const unusable = releases.filter(({ unreadable }) => unreadable !== undefined).length;
  const known = releases.filter((one) => isRead(one) && one.unreadable === undefined);
  const parts = Object.entries(PARTS).flatMap(([part, has]) => {
    const count = known.filter((one) => !has(one)).length;
    return count === 0 ? [] : [`${count} without ${part}`];
  });
  const lacks = [
    ...(unread === 0 ? [] : [`${unread} whose manifests were not read`]),
    ...(unusable === 0 ? [] : [`${unusable} that cannot be used`]),
    ...parts,
  ];
  const lacking =
    lacks.length === 0 ? 'each has a publish time, a file and a digest' : lacks.join(', ');
  return `${excerpt(moduleId)}: ${countOf(releases.length, 'release')}; ${lacking}`;
}
