/** In which entry a release failed, and whether another one fails in the same way. (D80, D81) */
export interface SeenEntry {
  readonly key: string;
  state: 'failed' | 'failed again' | 'waiting' | 'may be tried' | 'kept';
  /** When it was recorded, or became undecided, on the monotonic clock. */
  since: number;
  readonly reason: string | undefined;
}

/** Whether the quarantine is in force in the entry. (D80) */
export function isBlamed({ state }: SeenEntry): boolean {
  return state === 'failed' || state === 'failed again';
}

export interface SeenQuarantine {
  readonly moduleId: string;
  /** Undefined if it is refused in all entries. */
  readonly entries?: readonly SeenEntry[] | undefined;
  /** What reached the programs that failed, by the key of the entry. (D82) */
  readonly setups?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  readonly version: string;
  readonly digest: string | undefined;
  readonly until: number | undefined;
  readonly isRollback?: true;
  /** The version that an operator rolled back to. */
  readonly backTo?: string | undefined;
  /** The versions above it that the list had then. */
  readonly refused?: readonly string[] | undefined;
}

/** The edits of an entry after which a release that failed is tried once more. */
const MOST_RETRIES = 3;

/** Whether the release failed here, but not with the entry as it is now. (D82) */
export function isRetried(
  { setups }: Pick<SeenQuarantine, 'setups'>,
  key: string,
  now: string | undefined,
): boolean {
  const failed = setups?.get(key);
  if (!failed || now === undefined) return false;
  return failed.size <= MOST_RETRIES && !failed.has(now);
}
