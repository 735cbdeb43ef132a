import type { JudgedMachine, JudgedModule } from '../support/judged-machine.ts';

/*
 * What operators, modules and the server have said that holds replacements or lets them pass.
 */

/** Since when something lasts whose elapsed time counts. */
export interface Span {
  readonly elapsed: number;
  readonly gainedMs: number;
  readonly settings: number;
}

/** A hold of an operator. */
export interface SeenHold {
  readonly began: Span;
  /** On the wall clock. */
  readonly since: number;
  readonly longestMs: number;
  readonly endsAt: number | undefined;
}

/** Replacements of a target are held. */
interface SeenHeld {
  readonly began: Span;
  readonly since: number;
  readonly moduleId: string;
  readonly running: string | null | undefined;
}

/** An operator requested a replacement at once. */
export interface SeenWish {
  readonly moduleId: string;
  readonly at: number;
  readonly from: string | undefined;
  readonly to: string;
  readonly despite: readonly { readonly by: string; readonly said: string | undefined }[];
}

/** What a program says about its restart. */
export type Status =
  | { readonly isAllowed: boolean; readonly reason?: string; readonly isOverridable?: boolean }
  | 'unclear'
  | 'hangs';

/** The last answers of a program, on the monotonic clock. */
interface Answers {
  readonly allowedAt: number;
  readonly last: { readonly at: number; readonly status: Exclude<Status, 'hangs'> };
}

/** The program of an entry that is ready, and is not being ended. */
export interface Standing {
  readonly readyAt: number;
  /** Whether it has crashed so often that it may not be asked. */
  readonly isShaky: boolean;
}

export interface Orders {
  /** The operators' holds, by the key of the target, or `machine`. */
  readonly holds: Map<string, SeenHold>;
  readonly wishes: Map<string, SeenWish>;
  /** The versions that were up for an hour, by target, module and version. (D104) */
  readonly endured: Set<string>;
  /** Since when the replacements of each target are held. */
  readonly heldSince: Map<string, SeenHeld>;
  /** By the name of the entry. */
  readonly answers: Map<string, Answers>;
  /** What the agent last said about maintenance. */
  maintenance: { readonly at: number; readonly answer: JudgedMachine['answer'] } | undefined;
  /** When it last allowed it. */
  allowedAt: number | undefined;
  /** When this process first planned. */
  plannedSince: number;
  /** What reached the program of each entry when it was started, by name. */
  readonly started: Map<string, string>;
  /** When entries came to the config of this process, and left it, on the monotonic clock, by name. */
  readonly entered: Map<string, number>;
  readonly left: Map<string, number>;
  /** When this process began. */
  begunAt: number;
  /** Whether the disk was full in its time. */
  wasFull: boolean;
}

export function orders(): Orders {
  return {
    holds: new Map(),
    wishes: new Map(),
    endured: new Set(),
    heldSince: new Map(),
    answers: new Map(),
    maintenance: undefined,
    allowedAt: undefined,
    plannedSince: Infinity,
    started: new Map(),
    entered: new Map(),
    left: new Map(),
    begunAt: 0,
    wasFull: false,
  };
}

/** What a decision about a target is made of, beside its list and the policy. */
export interface Facts {
  readonly isHeld: boolean;
  readonly isOverdue: boolean;
  readonly vetoes: JudgedModule['vetoes'];
  readonly answer: JudgedMachine['answer'];
  readonly wish: JudgedModule['wish'];
}

export const CERTAIN: Facts = {
  isHeld: false,
  isOverdue: false,
  vetoes: [],
  answer: undefined,
  wish: undefined,
};

/** How long a program may take to say whether it may be stopped. */
export const UNCLEAR_LIMIT_MS = 2000;

/** The reasons that programs give. */
export const REASONS: readonly string[] = ['docking', 'person in cell'];

/** What a hold is of, as a key. */
export function holdKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return kind === 'machine' ? kind : `${kind} ${name}`;
}
