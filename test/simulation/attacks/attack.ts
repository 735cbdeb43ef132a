import { resigned, type Forger, type Signing } from './forgery.ts';
import type { Machine } from './machine.ts';
import type { Counted, Pace } from './endless.ts';
import { MODULE_IDS, REGISTRY, type Module, type Passed } from './site.ts';
import type { Asked, Lie } from './wire.ts';

/** The attacks that the specification of TUF names, and one on the expiry of keys. */
export const NAMES = [
  'arbitrary installation',
  'endless data',
  'extraneous dependencies',
  'fast-forward',
  'indefinite freeze',
  'malicious mirror',
  'mix-and-match',
  'rollback',
  'slow retrieval',
  'key compromise',
  'wrong software',
  'expired keys',
] as const;

export type Holding =
  | 'the network'
  | 'a mirror of the files'
  | 'the key of the registry'
  | 'nothing: a front of the cluster is cut off'
  | 'a front of the cluster, and its key'
  | 'a token'
  | 'a token and a key of another namespace'
  | 'a token and one of two keys'
  | 'a token and the key of a namespace'
  | 'a removed key of the registry'
  | 'a removed key of a namespace';

export interface Ground extends Forger {
  readonly machine: Machine;
  readonly counted: Counted;
  /** An answer without an end, of a file or not. */
  readonly endless: (isFile: boolean, pace?: Pace) => Response;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  readonly setClock: (to: number) => void;
  /** Sets what becomes of answers. */
  readonly tell: (lie: Lie | undefined) => void;
  /** Says what an attacker does besides lies. */
  readonly note: (what: string) => void;
  /** Says what was found instead of what must be. */
  readonly complain: (invariant: string, found: string) => void;
}

export interface Attack {
  readonly of: (typeof NAMES)[number];
  readonly what: string;
  readonly holds: Holding;
  /** Whether the machine must say within a few minutes that something is withheld from it. */
  readonly isNoticed?: boolean;
  /** Whether the attacker has a key with which a machine takes answers for those of its registry; it is replaced in the end. */
  readonly isOfRegistry?: boolean;
  readonly begin: (ground: Ground) => Promise<Begun> | Begun;
}

export interface Begun {
  readonly lie?: Lie;
  /** What must still work meanwhile: the modules that others publish. */
  readonly spares?: readonly Module[];
  /** What people do when they notice it, besides that they replace a stolen key of the registry. */
  readonly end?: () => Promise<void> | void;
}

/** The server with the files of an attacker. */
export function evilFiles({ files }: Ground): Lie {
  return async ({ url }) => await Promise.resolve(fileAt(files.get(url.href)));
}

function fileAt(body: string | undefined): Passed | undefined {
  if (body === undefined) return undefined;
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body };
}

/** Answers with what the registry said to the first question of the kind. */
export function replaying(isMeant: (about: string) => boolean, known: Map<string, Passed>): Lie {
  return async ({ about, url, ask, hang }) => {
    if (about === 'wait' && isMeant('changes')) return await hang();
    if (!isMeant(about)) return undefined;
    const first = known.get(about) ?? (await ask(`${url.pathname}${url.search}`));
    known.set(about, first);
    return first;
  };
}

export function isOfList(about: string): boolean {
  return about.startsWith('list ');
}

/** What the registry answers now, to a question that the attacker asks. */
export async function recorded({ site }: Ground): Promise<Map<string, Passed>> {
  const nonce = 'A'.repeat(22);
  const paths = MODULE_IDS.map((id) => [`list ${id}`, `modules/${id.replace(':', '/')}?nonce=`]);
  const all = [...paths, ['changes', 'changes?after=0&nonce=']] as [string, string][];
  const answers = await Promise.all(
    all.map(async ([about, path]) => {
      const answer = await site.ask(new Request(`${REGISTRY}/v1/${path}${nonce}`));
      return [about, answer] as const;
    }),
  );
  return new Map(answers);
}

export function publishAll({ site }: Ground): void {
  for (const moduleId of MODULE_IDS) site.publish(moduleId);
}

/** Something that the lie withholds is published of each module. */
export async function publishedUnder(ground: Ground, lie: Lie): Promise<Begun> {
  ground.tell(lie);
  publishAll(ground);
  await ground.pass(1000);
  return { lie };
}

/** Gives old answers new signatures, and old numbers. */
export function resigning(
  { site }: Ground,
  known: ReadonlyMap<string, Passed>,
  signing?: Signing,
): Lie {
  return async (asked: Asked) => {
    const answer = known.get(asked.about);
    if (!answer) return await Promise.resolve(undefined);
    return resigned(site, asked, JSON.parse(answer.body) as object, signing);
  };
}

/** Each byte of a file is another one. */
