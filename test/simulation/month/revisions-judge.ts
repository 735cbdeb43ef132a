import { meaningOf, needsSignature, type Meaning } from './documents.ts';
import type { Judge, Kept, KeptRevision, Saved, Scene } from './judge.ts';

const PROVISIONAL_MS = 600_000;

type Complain = Judge['complain'];
type RevisionsJudge = Pick<Judge, 'saved' | 'signed' | 'kept' | 'lost' | 'settled'> & {
  /** What the machine runs of its site means, with its own documents. */
  readonly inForce: () => Meaning;
};

/** Judges which documents a machine runs: never a lower revision, of another machine, or with more changes than its pin allows. */
export function revisionsJudge(scene: Scene, complain: Complain): RevisionsJudge {
  const site = new Map<number, Saved>();
  let [before, since, highest, newest] = [undefined as Kept | undefined, 0, 0, 0];
  const refusable = (one: Saved, than: KeptRevision | undefined): string | undefined =>
    whyNot({ scene, one, than, runs: scene.running() });
  return {
    inForce: () => meant(scene, before?.current),
    saved(one) {
      if (one.revision <= newest) complain('T672', `revision ${one.revision} follows ${newest}`);
      newest = Math.max(newest, one.revision);
      site.set(one.revision, one);
    },
    signed(revision) {
      const one = site.get(revision);
      if (one) one.isSigned = true;
    },
    lost() {
      [before, highest] = [undefined, 0];
    },
    kept(now) {
      const [was, is] = [before?.current, now?.current];
      if ((now?.highest ?? 0) < highest) {
        complain('T670', `the highest revision is ${now?.highest} after ${highest}`);
      }
      if (was?.revision !== is?.revision || was?.config !== is?.config) {
        const one = is && site.get(is.revision);
        const isReturn = (is?.revision ?? 0) < highest;
        if (isReturn) returned({ before, now, ranMs: scene.monotonic() - since }, complain);
        else if (!one || !isSame(one, is))
          complain('T670', `it runs ${JSON.stringify(is)}, which its site never had`);
        else {
          const why = refusable(one, was);
          if (why !== undefined) complain('D262', `revision ${one.revision} is in use with ${why}`);
        }
        since = scene.monotonic();
      }
      highest = Math.max(highest, is?.revision ?? 0);
      before = now;
    },
    settled({ kept, newest: last, answer }) {
      if (last === undefined) return;
      const [runs, refuses] = [kept?.current?.revision, kept?.refused?.revision];
      const found = `runs ${runs} and refuses ${refuses} (${kept?.refused?.code}), its site knows ${answer?.applied} and ${answer?.refused?.revision}, the newest is ${last}`;
      if (kept?.provisional) complain('T840', `it is not sure of what it ${found}`);
      if (answer?.applied !== runs || answer?.refused?.revision !== refuses) {
        complain('T840', `the site does not know that it ${found}`);
      }
      const one = site.get(last);
      if (runs === last || !one) return;
      const isRight =
        refuses === last && isRefusedRightly(kept, refusable(one, kept?.current), one, highest);
      if (!isRight) complain('T840', `it ${found}`);
    },
  };
}

function isRefusedRightly(
  kept: Kept | undefined,
  why: string | undefined,
  { revision, config }: Saved,
  highest: number,
): boolean {
  const code = kept?.refused?.code;
  if (code === 'older-revision') return revision < highest;
  if (code === 'unreachable') return meaningOf({ config })?.cuts === true;
  return why !== undefined;
}

function meant({ own }: Scene, current: KeptRevision | undefined): Meaning {
  const none = meaningOf({ config: JSON.stringify(own.config) });
  const found = current ? meaningOf(current) : none;
  if (!found) throw new Error('the machine runs documents that cannot be read');
  return found;
}

interface Asked {
  readonly scene: Scene;
  readonly one: Saved;
  readonly than: KeptRevision | undefined;
  readonly runs: ReadonlyMap<string, string>;
}

/** Why a revision must not be taken in place of another one. */
function whyNot({ scene, one, than, runs }: Asked): string | undefined {
  const after = meaningOf(one);
  if (!after) return 'a term of the machine alone, or what cannot be read';
  if (!scene.isPinned || one.isSigned) return undefined;
  return needsSignature(meant(scene, than), after, runs);
}

function isSame({ config, policy }: Saved, is: KeptRevision): boolean {
  return is.machine === 'rover-7' && is.config === config && (is.policy ?? undefined) === policy;
}

/** What ran before returns only from a provisional revision, ten minutes after that began, and is told. */
function returned(
  {
    before,
    now,
    ranMs,
  }: { readonly before: Kept | undefined; readonly now: Kept | undefined; readonly ranMs: number },
  complain: Complain,
): void {
  const { current, provisional } = before ?? {};
  const refused = now?.refused;
  const isTold = refused?.code === 'unreachable' && refused.revision === current?.revision;
  const isEarlier = now?.current?.revision === provisional?.earlier?.revision;
  if (provisional && isTold && isEarlier && ranMs >= PROVISIONAL_MS) return;
  const lower = `${now?.current?.revision} after ${current?.revision}, which ran for ${ranMs} ms`;
  complain('D268', `it runs revision ${lower}`);
}
