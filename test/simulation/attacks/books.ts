/*
 * The books of the oracle: which key signed what, which keys have to, and what the registry had when. The authors and the
 * site write them; nothing in them comes from what modreg reads, saves or says.
 */

/** What a machine runs. */
interface Program {
  readonly moduleId: string;
  readonly version: string;
  /** The bytes of its file. */
  readonly content: string;
}

/** By namespace: how many of which keys sign its releases. `*` is for all others but `platform`. */
export type Needs = Readonly<
  Record<string, { readonly threshold: number; readonly keys: readonly string[] }>
>;

interface Truth {
  readonly at: number;
  readonly print: string;
}

export interface Books {
  readonly noteSigned: (program: Program, key: string) => void;
  readonly noteYankSigned: (release: Omit<Program, 'content'>, key: string) => void;
  /** The registry has another version of the trust document. Returns its number, from 1. */
  readonly noteNeeds: (needs: Needs) => void;
  /** The machine got an answer that was signed by this version of the trust document. */
  readonly noteHeard: (version: number) => void;
  /** The machine lost its disk: it knows the pinned version alone. */
  readonly forget: () => void;
  /** Whether enough keys signed a program by a version of the trust document that the machine may go by. */
  readonly mayRun: (program: Program) => boolean;
  readonly isYankSigned: (release: Omit<Program, 'content'>) => boolean;
  /** What the list of a module says from this time on. */
  readonly noteTruth: (moduleId: string, truth: Truth) => void;
  /** Whether the list of a module said this at some time from `since` on. */
  readonly wasTrue: (moduleId: string, print: string, since: number) => boolean;
}

export function books(): Books {
  const signers = new Map<string, Set<string>>();
  const needed: Needs[] = [];
  const truths = new Map<string, Truth[]>();
  let heard = 1;
  const note = (text: string, key: string): void => {
    signers.set(text, (signers.get(text) ?? new Set()).add(key));
  };
  const isSigned = (moduleId: string, text: string): boolean => {
    const by = signers.get(text) ?? new Set();
    return needed.slice(heard - 1).some((needs) => {
      const [namespace = ''] = moduleId.split(':');
      const role = needs[namespace] ?? (namespace === 'platform' ? undefined : needs['*']);
      return role !== undefined && role.keys.filter((key) => by.has(key)).length >= role.threshold;
    });
  };
  return {
    noteSigned: (program, key) => note(textOf(program), key),
    noteYankSigned: (release, key) => note(`yank ${textOf({ ...release, content: '' })}`, key),
    noteNeeds: (needs) => void needed.push(needs),
    noteHeard: (version) => {
      heard = Math.max(heard, version);
    },
    forget: () => {
      heard = 1;
    },
    mayRun: (program) => isSigned(program.moduleId, textOf(program)),
    isYankSigned: (release) =>
      isSigned(release.moduleId, `yank ${textOf({ ...release, content: '' })}`),
    noteTruth: (moduleId, truth) => {
      truths.set(moduleId, [...(truths.get(moduleId) ?? []), truth]);
    },
    wasTrue(moduleId, print, since) {
      const all = truths.get(moduleId) ?? [];
      // One that was replaced before `since` does not count.
      const first = all.findLastIndex(({ at }) => at <= since);
      return all.slice(Math.max(0, first)).some((truth) => truth.print === print);
    },
  };
}

function textOf({ moduleId, version, content }: Program): string {
  return JSON.stringify([moduleId, version, content]);
}

/** What matters in the list of a module: each version, the digests of its files, and why it is yanked. */
export function printOf(
  releases: readonly {
    readonly version: string;
    readonly digests: readonly (string | undefined)[];
    readonly yanked?: string | undefined;
  }[],
): string {
  const rows = releases.map(({ version, digests, yanked = null }) => [version, digests, yanked]);
  return JSON.stringify(rows.toSorted(([a], [b]) => String(a).localeCompare(String(b))));
}
