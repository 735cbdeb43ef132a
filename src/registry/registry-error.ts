/** What happened when a release list was asked for. */
export type RegistryErrorKind =
  | 'bad-address'
  | 'unreadable-file'
  | 'unknown-module'
  | 'not-a-registry'
  | 'registry-busy'
  | 'list-too-large'
  | 'registry-regressed';

/** A release list could not be had. The message is one escaped line: what was found and where. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly kind: RegistryErrorKind;
  /** The nearest thing that exists, where there is one. */
  readonly suggestion: string | undefined;
  readonly hint: string | undefined;

  constructor(
    kind: RegistryErrorKind,
    message: string,
    { cause, suggestion, hint }: RegistryErrorDetail = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.suggestion = suggestion;
    this.hint = hint;
  }
}

interface RegistryErrorDetail {
  readonly cause?: unknown;
  readonly suggestion?: string | undefined;
  readonly hint?: string | undefined;
}
