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
  /** The most similar value that is allowed; undefined when no value is similar. */
  readonly suggestion: string | undefined;
  /** What to do next; undefined when the message already says it. */
  readonly hint: string | undefined;
} & (
  | {
      readonly severity: 'error';
      /** Why the document cannot be used. */
      readonly kind:
        /** It is not UTF-8, or not JSON. Comments are allowed; trailing commas are not. */
        | 'bad-json'
        /** More than 4 MiB, 100,000 values, or 64 levels. */
        | 'too-large'
        /** An object contains the same key twice. */
        | 'duplicate-key'
        /** An object contains a key with a special meaning in JavaScript, such as `__proto__`. */
        | 'forbidden-key'
        /** A required field is missing. */
        | 'missing'
        /** A value's JSON type is not the one that the field requires. */
        | 'bad-type'
        /** A value has the right JSON type, but the field does not allow it. */
        | 'bad-value'
        /** A number is below the minimum or above the maximum. */
        | 'out-of-range'
        /** A module's `version` is missing or is not a version constraint. */
        | 'bad-constraint'
        /** A `pin_version` is not a version. */
        | 'bad-version'
        /** A `module_id` is not a module id. */
        | 'bad-module-id'
        /** An address has wrong syntax, or is plain `http:` to a host that `allow_http` does not list. */
        | 'bad-address'
        /** Two components, modules, or pins of one board have the same name. */
        | 'duplicate-name'
        /** A component depends on a component, or uses a model of a module, that the document does not contain. */
        | 'unknown-reference'
        /** Components depend on each other in a cycle. */
        | 'cycle'
        /** A model names a module that has no entry, but an entry with a similar id exists. */
        | 'model-mismatch'
        /** A field of a policy or an agent configuration that is not part of the format, unless `unknownFields` is `warn`. */
        | 'unknown-field'
        /** A module's `env` reads a variable that is not set. */
        | 'unset-variable'
        /** A module's `env` reads an agent secret that `env_allow` does not list. */
        | 'forbidden-variable'
        /** The document contains a password, and users other than the file's owner can access the file. */
        | 'permissions';
    }
  | {
      readonly severity: 'warning';
      /** What is allowed but probably a mistake. */
      readonly kind:
        /** A field that is not part of the document's format. It is ignored; one of a policy or an agent configuration holds every replacement. */
        | 'unknown-field'
        /** A `pin_version` that has no effect, because `pin_url` is also set and takes precedence. */
        | 'shadowed-pin'
        /** Two entries have the same `module_id`. Each is resolved separately, so they may get different releases. */
        | 'conflicting-constraints'
        /** No component uses a model of this module. */
        | 'unused-module'
        /** A local module has no `version`. modreg ignores the version of a local module. */
        | 'missing-version'
        /** The `executable_path` of a local module is no absolute path, so that modreg's own agent does not start it. */
        | 'no-program'
        /** A module's `env` reads an agent secret that `env_allow` does not list, which a later version of modreg refuses. */
        | 'secret-variable'
        /** A blackout that holds nothing: it has ended, or no maintenance window is open in it. */
        | 'idle-blackout'
        /** The releases of a registry need no signatures, and the policy does not say that this is meant. */
        | 'unsigned-releases'
        /** `npm_keys` or `trust` of a policy that has no effect, by the registries that it applies to. */
        | 'idle-trust';
    }
);

/** Why a document cannot be used. */
export type DocumentErrorKind = Extract<DocumentProblem, { severity: 'error' }>['kind'];

/** What is allowed in a document but is probably a mistake. */
export type DocumentWarningKind = Extract<DocumentProblem, { severity: 'warning' }>['kind'];
