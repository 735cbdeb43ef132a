import type { Chance } from '../chance.ts';
import { key, textOf, type TestKey, type TestRelease } from '../../support/signed.ts';
import type { Books } from './books.ts';
import {
  keysOf,
  MODULES,
  releaseOf,
  sha256,
  type Listed,
  type Module,
  type Passed,
  type Site,
} from './site.ts';
import type { Asked, Lie } from './wire.ts';

/** A list as its registry serves it. */
interface ListDocument {
  readonly module_id: string;
  readonly generation: number;
  readonly count: number;
  readonly releases: readonly Listed[];
}

export interface Forger {
  readonly site: Site;
  readonly books: Books;
  readonly chance: Chance;
  /** The server with the files of an attacker. */
  readonly files: Map<string, string>;
  readonly now: () => number;
}

/** A version above all that a site has. */
export const TEMPTING = '1.5000.0';

/** What an attacker makes of a list. */
export type Twist = (list: ListDocument, moduleId: Module, forger: Forger) => ListDocument;

/** A release of an attacker: its program is not the one of the authors. */
export function evilRelease(
  moduleId: string,
  version: string,
  { files, now }: Pick<Forger, 'files' | 'now'>,
): ReturnType<typeof releaseOf> & { readonly content: string } {
  const content = `#!/bin/sh\necho ${moduleId} ${version}, evil\n`;
  const release = releaseOf(version, { content, at: now() });
  files.set(release.artifacts[0]?.url ?? '', content);
  return { ...release, content };
}

/** The release with signatures, and without what is no part of a list. */
function listed(
  { version, published_at, artifacts }: ReturnType<typeof evilRelease>,
  signatures?: Readonly<Record<string, string>>,
): Listed {
  return { version, published_at, artifacts, ...(signatures && { signatures }) };
}

function by(
  moduleId: string,
  release: TestRelease,
  ...keys: readonly TestKey[]
): Readonly<Record<string, string>> {
  const text = textOf(moduleId, release);
  return Object.fromEntries(keys.map((one) => [one.id, one.sign(text)]));
}

function adding(list: ListDocument, ...more: readonly Listed[]): ListDocument {
  const releases = [...list.releases, ...more];
  return { ...list, count: releases.length, releases };
}

function newest({ releases }: ListDocument): Listed | undefined {
  return releases.at(-1);
}

function inPlaceOf(list: ListDocument, change: (last: Listed) => Listed): ListDocument {
  const last = newest(list);
  return last ? { ...list, releases: [...list.releases.slice(0, -1), change(last)] } : list;
}

/** What somebody does to a list who has no key of the namespace, or too few. */
export const TWISTS: Readonly<Record<string, Twist>> = {
  'a release that nobody signed': (list, moduleId, forger) =>
    adding(list, listed(evilRelease(moduleId, TEMPTING, forger))),
  'a release of a stranger': (list, moduleId, forger) => {
    const evil = evilRelease(moduleId, TEMPTING, forger);
    return adding(list, listed(evil, by(moduleId, evil, key('stranger'))));
  },
  'a release of a stranger under the id of an author': (list, moduleId, forger) => {
    const evil = evilRelease(moduleId, TEMPTING, forger);
    const [signature = ''] = Object.values(by(moduleId, evil, key('stranger')));
    const ids = keysOf(forger.site.signers(MODULES[moduleId].role)).map(({ id }) => id);
    return adding(list, listed(evil, Object.fromEntries(ids.map((id) => [id, signature]))));
  },
  'a release with the signatures of another one': (list, moduleId, forger) =>
    adding(list, listed(evilRelease(moduleId, TEMPTING, forger), newest(list)?.signatures)),
  'a release of another namespace': (list, moduleId, forger) => {
    const evil = evilRelease(moduleId, TEMPTING, forger);
    const thief = moduleId === 'acme:lidar' ? '*' : 'acme';
    return adding(list, listed(evil, by(moduleId, evil, ...keysOf(forger.site.signers(thief)))));
  },
  'another program under right signatures': (list, moduleId, forger) =>
    inPlaceOf(list, (last) => {
      const { artifacts } = evilRelease(moduleId, last.version, forger);
      return { ...last, artifacts };
    }),
  'another size under right signatures': (list) =>
    inPlaceOf(list, (last) => ({
      ...last,
      artifacts: last.artifacts?.map((file) => ({ ...file, size: file.size + 1 })) ?? [],
    })),
  'another version under right signatures': (list) =>
    inPlaceOf(list, (last) => ({ ...last, version: TEMPTING })),
  'a version twice': (list, moduleId, forger) => {
    const last = newest(list);
    if (!last) return list;
    const evil = listed(evilRelease(moduleId, last.version, forger), last.signatures);
    return { ...adding(list, last), releases: [...list.releases.slice(0, -1), evil, last] };
  },
};

/** What is wrong with the software itself. */
export const WRONG_SOFTWARE: Readonly<Record<string, Twist>> = {
  'the releases of another module': (list, moduleId, { site, chance }) => {
    const others = (Object.keys(MODULES) as Module[]).filter((one) => one !== moduleId);
    const releases = site.releases(chance.one(others));
    return { ...list, count: releases.length, releases };
  },
  'the file of another module': (list, moduleId, { site, chance }) =>
    inPlaceOf(list, (last) => {
      const others = (Object.keys(MODULES) as Module[]).filter((one) => one !== moduleId);
      const artifacts = site.releases(chance.one(others)).at(-1)?.artifacts ?? [];
      return { ...last, version: TEMPTING, artifacts };
    }),
  'the file of another release': (list) =>
    inPlaceOf(list, (last) => {
      const [first = last] = list.releases;
      return { ...last, version: TEMPTING, artifacts: first.artifacts ?? [] };
    }),
  'the file of another platform': (list) =>
    inPlaceOf(list, (last) => ({
      ...last,
      version: TEMPTING,
      artifacts: last.artifacts?.map((file) => ({ ...file, platform: 'any' })) ?? [],
    })),
};

/** What a module of another kind of registry could ask for. */
export const DEPENDENCIES: Twist = (list, moduleId) =>
  inPlaceOf({ ...list, ...MORE }, (last) => ({
    ...last,
    ...MORE,
    requires: { [moduleId]: ['>=1.0.0'] },
  }));

const MORE = {
  dependencies: { 'evil:twin': '*' },
  peerDependencies: { 'evil:twin': '*' },
  scripts: { postinstall: 'reboot' },
  modules: ['evil:twin'],
};

/** Gives the machine lists that `twist` made, and says that all have changed; signed by the key of the registry if it `isStolen`. */
export function lyingWith(
  forger: Forger,
  {
    twist,
    modules,
    isStolen,
    ahead = 1,
  }: {
    readonly twist: Twist;
    readonly modules: readonly string[];
    readonly isStolen: boolean;
    readonly ahead?: number;
  },
): Lie {
  const { site } = forger;
  return async (asked) => {
    const { about, url, ask } = asked;
    if (about === 'file') return fileOf(url, forger);
    const path = `${url.pathname}${url.search}`;
    if (about === 'changes') {
      if (!isStolen) return undefined;
      const real = await ask(path.replace(/after=\d+/, 'after=0'));
      const body = Object(JSON.parse(real.body)) as { sequence: number };
      const sequence = body.sequence + ahead;
      const isKnown = Number(url.searchParams.get('after')) >= sequence;
      return resigned(site, asked, { ...body, sequence, ...(isKnown && { modules: [] }) });
    }
    const moduleId = about.replace('list ', '') as Module;
    if (!about.startsWith('list ') || !modules.includes(moduleId)) return undefined;
    const real = await ask(path);
    if (real.status !== 200) return undefined;
    const list = JSON.parse(real.body) as ListDocument;
    const next = { ...list, generation: list.generation + (isStolen ? ahead : 0) };
    const twisted = twist(next, moduleId, forger);
    if (isStolen) return resigned(site, asked, twisted);
    return { ...real, body: `${JSON.stringify(twisted)}\n` };
  };
}

function fileOf(url: URL, { files }: Forger): Passed | undefined {
  const body = files.get(url.href);
  if (body === undefined) return undefined;
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body };
}

/** By which key of the registry an answer is signed, and by which version of its trust document: those of now by default. */
export interface Signing {
  readonly keyName?: string;
  readonly version?: number;
}

/** An answer that the key of the registry signed for the question of the machine. */
export function resigned(
  site: Site,
  { about, url }: Pick<Asked, 'about' | 'url'>,
  json: object,
  { keyName = site.signers('registry')[0] ?? '', version = site.trustVersion() }: Signing = {},
): Passed {
  const body = `${JSON.stringify(json)}\n`;
  const nonce = url.searchParams.get('nonce') ?? '';
  const question = about === 'changes' ? `changes ${url.searchParams.get('after')}` : about;
  const lines = ['modreg/answer@1', 'acme-plant', version, nonce, question, sha256(body)];
  const signer = key(keyName);
  const signature = signer.sign(lines.map((line) => `${line}\n`).join(''));
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'modreg-signature': `${version} ${signer.id} ${signature}`,
    },
    body,
  };
}
