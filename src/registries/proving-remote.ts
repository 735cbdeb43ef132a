import type { Proof, RemoteRegistry, RequestContext } from '../registry/remote-registry.ts';
import type { Trust } from './trusted-registry.ts';

/**
 * `remote`, each answer of which the registry has to sign for the question of this machine, if its trust document names a key for
 * that: lists, and what says that none has changed (D148). An answer to a wait need not be: it only makes a machine ask.
 *
 * What was saved before, or by an answer that other keys signed, must not be confirmed by a signed one that nothing has changed
 * since. So a position has another history for each set of these keys, and such a list is requested once (D149).
 */
export function provingRemote(remote: RemoteRegistry, trust: Trust): RemoteRegistry {
  return {
    ...remote,
    async fetch(moduleId, known, round) {
      const { proof, mark, marked, plain } = await provingIn(remote, trust);
      const atLeast = plain(round.atLeast);
      const list = await remote.fetch(moduleId, known, { ...round, atLeast, proof });
      if (list === known) return list;
      return { ...list, servedIn: marked(list.servedIn), signedBy: mark?.() };
    },
    ...(remote.changes && {
      async changes(sequence, round, waitMs, modules) {
        const { proof, marked } = await provingIn(remote, trust);
        const asked = waitMs === undefined ? { ...round, proof } : round;
        const found = await remote.changes?.(sequence, asked, waitMs, modules);
        return found && { ...found, history: marked(found.history) };
      },
    }),
  };
}

interface Proving {
  readonly proof: Proof | undefined;
  /** What `marked` adds: the keys of the registry (D196), which an answer by a later trust document replaces. */
  readonly mark?: () => string;
  readonly marked: (history: string | undefined) => string | undefined;
  readonly plain: (atLeast: RequestContext['atLeast']) => RequestContext['atLeast'];
}

const UNSIGNED: Proving = { proof: undefined, marked: (one) => one, plain: (one) => one };

/** What the registry at `from` has to sign an answer for, as its trust document says; undefined if that names no key for answers. */
export async function proofBy(trust: Trust, from: string): Promise<Proof | undefined> {
  const { proof } = await provingIn({ from }, trust);
  return proof;
}

async function provingIn({ from }: Pick<RemoteRegistry, 'from'>, trust: Trust): Promise<Proving> {
  const document = await trust.document();
  if (!document.registry) return UNSIGNED;
  const { answerKeys, checkAnswer, expectValid, newNonce, versionIn } =
    await import('../registry/trust/answer-check.ts');
  const nonce = newNonce();
  let keys = answerKeys(document);
  const mark = (): string => ` ${keys}`;
  return {
    proof: {
      nonce,
      async check({ signature, ...answer }) {
        // The answer may be the first one by a later version (D150).
        const newest = await trust.atLeast(versionIn(signature));
        checkAnswer(newest, { ...answer, nonce }, signature, `the registry ${from}`);
        expectValid(newest, trust.now(), from);
        keys = answerKeys(newest);
      },
    },
    mark,
    marked: (history = '') => `${history}${mark()}`,
    plain: (atLeast) => atLeast && { ...atLeast, history: atLeast.history.replace(/ [^ ]*$/, '') },
  };
}
