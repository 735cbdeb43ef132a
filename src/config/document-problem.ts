/** One error or warning, with its position in the document. */
export type DocumentProblem = {
  /** A JSON Pointer (RFC 6901), not escaped for a terminal; empty for the document itself. */
  readonly path: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1, in UTF-16 units. */
  readonly column: number;
  /** What was found and what was expected: one line, escaped, without secrets. */
  readonly message: string;
  /** The most similar value that is allowed; undefined without one. */
  readonly suggestion: string | undefined;
  /** What to do next; undefined where the message says it. */
  readonly hint: string | undefined;
} & (
  | {
      readonly severity: 'error';
      /** What makes the document unusable. */
      readonly kind:
        /** It is not UTF-8, or not JSON. Comments are allowed; trailing commas are not. */
        | 'bad-json'
        /** More than 4 MiB, 100,000 values, or 64 levels. */
        | 'too-large'
        /** An object has a key twice. */
        | 'duplicate-key'
        /** An object has a key that JavaScript gives a meaning, such as `__proto__`. */
        | 'forbidden-key'
        /** A required field is absent. */
        | 'missing'
        /** A value has another JSON type than the field. */
        | 'bad-type'
        /** A value has the right JSON type, and the field does not allow it. */
        | 'bad-value'
        /** A number is below the least or above the largest one allowed. */
        | 'out-of-range'
        /** A module's `version` is no version constraint, or is absent. */
        | 'bad-constraint'
        /** A `pin_version` is no version. */
        | 'bad-version'
        /** A `module_id` is no module id. */
        | 'bad-module-id'
        /** An address cannot be used: its syntax, or plain `http:` to a host that `allow_http` does not list. */
        | 'bad-address'
        /** Two components, modules, or pins of a board have one name. */
        | 'duplicate-name'
        /** A component depends on a component, or its model on a module, that the document does not contain. */
        | 'unknown-reference'
        /** Components depend on each other in a circle. */
        | 'cycle'
        /** A model names a module that has no entry, and an entry with a similar id exists. */
        | 'model-mismatch'
        /** A module's `env` reads a variable that is not set. */
        | 'unset-variable'
        /** A module's `env` reads a secret of the agent that `env_allow` does not list. */
        | 'forbidden-variable'
        /** The document contains a password, and others than the file's owner can read the file. */
        | 'permissions';
    }
  | {
      readonly severity: 'warning';
      /** What is allowed and probably a mistake. */
      readonly kind:
        /** A field that nothing reads. */
        | 'unknown-field'
        /** A `pin_version` beside a `pin_url`, which takes precedence. */
        | 'shadowed-pin'
        /** Two entries have one `module_id`. Each is resolved by itself, and they may get different releases. */
        | 'conflicting-constraints'
        /** A module that no component uses. */
        | 'unused-module'
        /** A local module without a `version`, which modreg does not read. */
        | 'missing-version';
    }
);

/** What makes a document unusable. */
export type DocumentErrorKind = Extract<DocumentProblem, { severity: 'error' }>['kind'];

/** What is allowed in a document and is probably a mistake. */
export type DocumentWarningKind = Extract<DocumentProblem, { severity: 'warning' }>['kind'];
