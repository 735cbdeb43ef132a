/*
 * The oracle of the month of a rover: what must hold of a machine that follows its site. It imports nothing from src, and knows what people
 * saved and gave, and what lies on the disk of the machine.
 */

import { commandsJudge } from './commands-judge.ts';
import { momentsJudge } from './moments-judge.ts';
import { revisionsJudge } from './revisions-judge.ts';

/** What a machine has of its site, as it is on its disk. */
export interface Kept {
  readonly machine: string;
  readonly highest: number;
  readonly current?: KeptRevision;
  readonly provisional?: { readonly earlier?: KeptRevision };
  readonly refused?: { readonly revision: number; readonly code: string };
  readonly commands?: { readonly taken: number };
}

export interface KeptRevision {
  readonly machine: string;
  readonly revision: number;
  readonly config: string;
  readonly policy?: string | null | undefined;
}

/** A revision that the site has. */
export interface Saved {
  readonly revision: number;
  readonly config: string;
  readonly policy: string | undefined;
  /** Whether operators signed it. */
  isSigned: boolean;
}

/** A command that the site has given. */
export interface Given {
  readonly number: number;
  readonly kind: string;
  /** The name of the entry; undefined for the whole machine. */
  readonly name: string | undefined;
  readonly at: number;
  readonly expiresAt: number;
  readonly isSigned: boolean;
}

/** What the site has of a command. */
export interface Told {
  readonly number: number;
  readonly outcome: { readonly result: string; readonly detail: string } | undefined;
}

interface Delivered {
  readonly name: string;
  readonly direction: string;
  readonly to: string;
}

interface Hold {
  readonly of: string;
  readonly by: string;
  readonly since: number;
}

/** What the judge needs to know of the moment. */
export interface Scene {
  /** The right time. */
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly isPinned: boolean;
  /** The machine's own documents. */
  readonly own: { readonly config: object; readonly policy: object };
  /** The versions that run, by the name of their entry. */
  readonly running: () => ReadonlyMap<string, string>;
  /** Whether the clock of the machine is the right one. */
  readonly isClockRight: () => boolean;
}

/** What the site says of the machine in the end. */
interface Settled {
  readonly kept: Kept | undefined;
  readonly newest: number | undefined;
  readonly answer:
    | {
        readonly applied: number | undefined;
        readonly refused: { readonly revision: number } | undefined;
      }
    | undefined;
  readonly told: readonly Told[];
}

export interface Judge {
  readonly saved: (one: Saved) => void;
  readonly signed: (revision: number) => void;
  readonly given: (one: Given) => void;
  /** The registry was restored: what waited is dropped. */
  readonly restored: () => void;
  /** The machine lost what it had of its site. */
  readonly lost: () => void;
  /** Operators hold or free something on the machine itself. */
  readonly heldHere: (of: string, until: number) => void;
  readonly freedHere: (of: string) => void;
  /** After each step of the machine. */
  readonly kept: (kept: Kept | undefined) => void;
  readonly holds: (holds: readonly Hold[]) => void;
  readonly said: (notice: string) => void;
  readonly delivered: (one: Delivered) => void;
  readonly told: (told: readonly Told[]) => void;
  /** Nothing has happened for a while: the machine runs what it can, and its site knows. */
  readonly settled: (found: Settled) => void;
  /** The machine runs this version of each entry in the end. */
  readonly converged: (name: string, version: string) => void;
  readonly complain: (invariant: string, found: string) => void;
  readonly violation: () => Violation | undefined;
}

export interface Violation {
  readonly invariant: string;
  readonly found: string;
}

/** States after each step what must hold. The first violation is kept. */
export function judge(scene: Scene): Judge {
  let violation: Violation | undefined;
  const complain = (invariant: string, found: string): void => {
    violation ??= { invariant, found };
  };
  const revisions = revisionsJudge(scene, complain);
  const commands = commandsJudge(scene, complain);
  const { inForce } = revisions;
  const moments = momentsJudge(scene, { complain, inForce, isUrgent: commands.isUrgent });
  return {
    ...moments,
    saved: revisions.saved,
    signed: revisions.signed,
    kept: revisions.kept,
    given: commands.given,
    told: commands.told,
    restored: commands.restored,
    lost() {
      revisions.lost();
      commands.lost();
    },
    said(notice) {
      const [, number] = /^command (\d+) of the site is carried out: /.exec(notice) ?? [];
      if (number !== undefined) commands.begun(Number(number));
    },
    settled(found) {
      revisions.settled(found);
      commands.settled(found.told);
    },
    converged(name, version) {
      const runs = scene.running().get(name);
      if (runs !== version) complain('T840', `${name} runs ${runs}, expected ${version}`);
    },
    complain,
    violation: () => violation,
  };
}
