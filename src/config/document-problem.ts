/** What can be wrong with a document. */
export type DocumentErrorKind =
  | 'bad-json'
  | 'too-large'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'missing'
  | 'bad-type'
  | 'bad-value'
  | 'out-of-range'
  | 'bad-constraint'
  | 'bad-version'
  | 'bad-module-id'
  | 'bad-address'
  | 'duplicate-name'
  | 'unknown-reference'
  | 'cycle'
  | 'model-mismatch'
  | 'unset-variable'
  | 'forbidden-variable'
  | 'permissions';

/** What may be meant so, and is worth a look. */
export type DocumentWarningKind =
  | 'unknown-field'
  | 'shadowed-pin'
  | 'conflicting-constraints'
  | 'unused-module'
  | 'missing-version';

/** Something that a person should know of a document, and where it stands. */
export type DocumentProblem = {
  /** A JSON Pointer, as it is; empty for the document itself. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What was found and what was expected: one line, escaped, without secrets. */
  readonly message: string;
  /** The nearest thing that would do. */
  readonly suggestion: string | undefined;
  /** What to do next. */
  readonly hint: string | undefined;
} & (
  | { readonly severity: 'error'; readonly kind: DocumentErrorKind }
  | { readonly severity: 'warning'; readonly kind: DocumentWarningKind }
);
