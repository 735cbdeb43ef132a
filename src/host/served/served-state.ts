import { join } from 'node:path';
import * as v from 'valibot';
import { tagOf, type ServedConfig, type ServedRefusal } from '../../core/trust/served-config.ts';
import type { LeastVersions } from '../../config/served/least-versions.ts';
import type { Accepted } from '../../config/served/verdict.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { commandOutcomes } from '../../registry/command-documents.ts';
import { servedConfig } from '../../registry/config-documents.ts';
import { readRegularFile } from '../document-file.ts';
import type { TakenCommands } from './command-state.ts';

/** A revision that a machine does not run. */
interface RefusedRevision extends ServedRefusal {
  readonly revision: number;
  /** What was refused: the same revision with more signatures is looked at again. */
  readonly tag: string;
}

/** What a machine has of its site. */
export interface ServedState {
  /** The origin of the registry that serves the documents, and the machine that they are for. */
  readonly site: string;
  readonly machine: string;
  /** The highest revision that it has run; 0 for none. */
  readonly highest: number;
  /** The highest one under which it did not reach its site; 0 for none. */
  readonly unreached: number;
  /** Whether it took `current` while its policy named no trust document (D433). */
  readonly isUnproven: boolean;
  /** What was deployed of modules that its revisions removed. */
  readonly least: LeastVersions;
  /** What it runs; undefined for its own documents. */
  readonly current: ServedConfig | undefined;
  /** Since when it runs `current`, in milliseconds since the epoch; undefined in what an earlier modreg kept. */
  readonly since: number | undefined;
  /** Present until the machine has reached its site under `current`: what returns if it does not. */
  readonly provisional:
    { readonly earlier: ServedConfig | undefined; readonly wasUnproven: boolean } | undefined;
  readonly refused: RefusedRevision | undefined;
  /** Undefined before the first answer about commands. */
  readonly commands: TakenCommands | undefined;
}

export function noneServed(site: string, machine: string): ServedState {
  const documents = { current: undefined, since: undefined, provisional: undefined };
  const nothing = { ...documents, refused: undefined, commands: undefined };
  return { site, machine, ...NO_REVISIONS, least: {}, ...nothing };
}

const NO_REVISIONS = { highest: 0, unreached: 0, isUnproven: false };

/** Refusals of an answer that was not the one of the site: the right one has the same number. */
const OF_ANSWER: ReadonlySet<string> = new Set(['other-machine', 'changed-revision']);

/** The tag of the documents that need not be looked at again; empty if nothing was served, or what was is looked at again (D447). */
export function knownTag({ refused, current }: ServedState): string {
  if (refused && OF_ANSWER.has(refused.code)) return '';
  return refused?.tag ?? (current ? tagOf(current) : '');
}

/** The machine runs a revision from the time `at` on, provisionally if its documents are others (D268). */
export function accepted(
  state: ServedState,
  served: ServedConfig,
  { by, least }: Pick<Accepted, 'by' | 'least'>,
  at?: number,
): ServedState {
  const { current, since, provisional } = state;
  const isSame = current?.revision === served.revision;
  return {
    ...state,
    highest: Math.max(state.highest, served.revision),
    isUnproven: by === 'no-pin',
    least,
    current: served,
    since: isSame ? since : at,
    // What returns is the last one under which the site was reached.
    provisional: isSame
      ? provisional
      : (provisional ?? { earlier: current, wasUnproven: state.isUnproven }),
    refused: undefined,
  };
}

export function refusing(
  state: ServedState,
  served: ServedConfig,
  { code, detail }: ServedRefusal,
): ServedState {
  return { ...state, refused: { revision: served.revision, tag: tagOf(served), code, detail } };
}

/** Whether it refuses this already, for the same reason. */
export function hasRefused(
  { refused }: ServedState,
  served: ServedConfig,
  { code, detail }: ServedRefusal,
): boolean {
  return refused?.tag === tagOf(served) && refused.code === code && refused.detail === detail;
}

/** The machine has reached its site under what it runs. */
export function reached(state: ServedState): ServedState {
  return { ...state, provisional: undefined };
}

/** It has not: what it ran before returns, and the revision is refused as `unreachable` (D268). */
export function returned(state: ServedState, at: number): ServedState {
  const { current, provisional } = state;
  if (!current || !provisional) return state;
  const detail = `the machine did not reach its site within 10 min under revision ${current.revision}`;
  const refused = {
    revision: current.revision,
    tag: tagOf(current),
    code: 'unreachable',
    detail,
  } as const;
  const { earlier, wasUnproven } = provisional;
  const before = { current: earlier, since: earlier && at, isUnproven: wasUnproven };
  return { ...state, ...before, unreached: current.revision, provisional: undefined, refused };
}

/** The machine runs its own documents again, and goes on to refuse lower revisions, versions and commands than it has had. */
export function forgotten({ site, machine, commands, ...state }: ServedState): ServedState {
  const { highest, unreached, least } = state;
  return { ...noneServed(site, machine), highest, unreached, least, commands };
}

/** Beside machine.db, for this user only. */
const KEPT = 'machine.db.served';
const SCHEMA = 'modreg/served-documents@1';
const PRIVATE = 0o600;
const LARGEST = 64 * 1024 * 1024;

const number = v.pipe(v.number(), v.safeInteger());
const revision = v.optional(servedConfig);
const signed = v.optional(
  v.object({
    since: number,
    dropped: number,
    taken: v.array(v.object({ id: v.string(), ends: number })),
  }),
);
const kept = v.object({
  schema: v.literal(SCHEMA),
  site: v.string(),
  machine: v.string(),
  highest: number,
  // An earlier modreg did not keep these.
  unreached: v.optional(number, 0),
  isUnproven: v.optional(v.boolean(), true),
  least: v.optional(v.record(v.string(), v.string()), {}),
  current: revision,
  since: v.optional(number),
  provisional: v.optional(
    v.object({ earlier: revision, wasUnproven: v.optional(v.boolean(), true) }),
  ),
  refused: v.optional(
    v.object({ revision: number, tag: v.string(), code: v.string(), detail: v.string() }),
  ),
  commands: v.optional(v.object({ taken: number, ...commandOutcomes.entries, signed })),
});

/** What was kept in the folder `home`; undefined if nothing was, or if it cannot be read. */
export function keptState(home: string): ServedState | undefined {
  const file = readRegularFile(join(home, KEPT), LARGEST);
  if (!file.ok) return undefined;
  const read = v.safeParse(kept, jsonIn(Buffer.from(file.value.bytes).toString()));
  if (!read.success) return undefined;
  const { schema: _schema, current, since, provisional, refused, commands, ...rest } = read.output;
  return {
    ...rest,
    current: current && servedIn(current),
    since,
    provisional: provisional && {
      ...provisional,
      earlier: provisional.earlier && servedIn(provisional.earlier),
    },
    // Cast: a later modreg may know another code, which is only shown.
    refused: refused as RefusedRevision | undefined,
    commands,
  };
}

function servedIn({ policy, ...rest }: v.InferOutput<typeof servedConfig>): ServedConfig {
  return { ...rest, policy: policy ?? undefined };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The file is not one that this modreg wrote.
    return undefined;
  }
}

/** Keeps the state in the folder `home` (D269): a loss of power leaves the earlier one or this one. Throws the error of the file system. */
export function keepState(home: string, state: ServedState): void {
  const { current, provisional } = state;
  const text = JSON.stringify({
    schema: SCHEMA,
    ...state,
    current: written(current),
    provisional: provisional && { ...provisional, earlier: written(provisional.earlier) },
  });
  replaceFile(join(home, KEPT), text, { mode: PRIVATE });
}

function written(one: ServedConfig | undefined): object | undefined {
  return one && { ...one, policy: one.policy ?? null };
}
