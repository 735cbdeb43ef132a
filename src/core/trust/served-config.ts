/** A revision of the documents of one machine, as its site serves it. */
export interface ServedConfig {
  /** The id of the machine that it is for. */
  readonly machine: string;
  /** From 1. */
  readonly revision: number;
  /** A machine config as text. */
  readonly config: string;
  /** Terms of an update policy as text; undefined if the site sets none. */
  readonly policy: string | undefined;
  /** By the ids of operator keys. */
  readonly signatures: Readonly<Record<string, string>>;
}

/** The most bytes that both documents have together. */
export const LARGEST_SERVED: number = 1024 * 1024;

/** More than a machine ever gets. */
export const HIGHEST_REVISION = 1_000_000_000;

/** Names what a site serves now: a signature that is added makes a machine look at the same revision again. */
export function tagOf({
  revision,
  signatures,
}: Pick<ServedConfig, 'revision' | 'signatures'>): string {
  return `${revision}.${Object.keys(signatures).length}`;
}

/** Why a machine, or its site, does not accept a revision. */
export interface ServedRefusal {
  readonly code:
    | 'malformed'
    | 'too-large'
    | 'holds-secret'
    | 'moved-secret'
    | 'local-term'
    | 'other-machine'
    | 'older-revision'
    | 'changed-revision'
    | 'untrusted'
    | 'needs-signature'
    | 'loosens'
    | 'below-deployed'
    | 'unreachable';
  /** In one escaped line, without secrets. */
  readonly detail: string;
}
