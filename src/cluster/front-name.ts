import { LATEST_SCHEMA, SCHEMA } from './event.ts';

/** A front of a cluster, as a node sees it. */
export interface SeenFront {
  /** The address of its connection. */
  readonly at: string;
  /** The version of its modreg; undefined for one before 0.3, which does not say it. */
  readonly version: string | undefined;
  /** The last schema of events that it reads. */
  readonly reads: number;
}

const NAME = /^modreg(?: (\S{1,64}) reads (\d{1,4}))?$/;

/** The name of the connection of a front, by which nodes show what it reads (D205). */
export function frontName(version: string): string {
  return `modreg ${version} reads ${LATEST_SCHEMA}`;
}

/** The front whose connection has this name; undefined if it is of something else. */
export function frontNamed(name: string, at: string): SeenFront | undefined {
  const found = NAME.exec(name);
  return found ? { at, version: found[1], reads: Number(found[2] ?? SCHEMA) } : undefined;
}

/** Who a front is, and what it reads. */
export function frontWords({ version, reads }: Omit<SeenFront, 'at'>): string {
  return `modreg ${version ?? 'before 0.3'}, which reads events up to schema ${reads}`;
}
