/** What happened when a release list was asked for. */
export type RegistryErrorKind =
  | 'bad-address'
  | 'unreadable-file'
  | 'unknown-module'
  /** No answer came: the name, the connection or the answer broke. */
  | 'registry-unreachable'
  /** An answer took longer than its limits. */
  | 'registry-timeout'
  /** It does not let us in. */
  | 'registry-refused'
  | 'not-a-registry'
  /** It asks to come again later, or has failed itself. */
  | 'registry-busy'
  /** It sends us where we do not go. */
  | 'bad-redirect'
  | 'bad-certificate'
  | 'list-too-large'
  /** It answers with less, or with other things, than it did before. */
  | 'registry-regressed'
  /** The saved list is too old to answer in its place. */
  | 'list-stale';

/** A release list could not be had. The message is one escaped line: what was found and where. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly kind: RegistryErrorKind;
  /** The nearest thing that exists, where there is one. */
  readonly suggestion: string | undefined;
  readonly hint: string | undefined;
  /** How long the registry asks to be left alone, in milliseconds, where it does. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: RegistryErrorKind,
    message: string,
    { cause, suggestion, hint, retryAfterMs }: RegistryErrorDetail = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.suggestion = suggestion;
    this.hint = hint;
    this.retryAfterMs = retryAfterMs;
  }
}

interface RegistryErrorDetail {
  readonly cause?: unknown;
  readonly suggestion?: string | undefined;
  readonly hint?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}
