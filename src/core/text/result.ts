/** A value or an error. Parsers and readers of documents return a `Result` and never throw. */
export type Result<T, E> =
  | {
      readonly ok: true;
      /** The result, if there is no error. */
      readonly value: T;
    }
  | {
      readonly ok: false;
      /** Why there is no value. */
      readonly error: E;
    };
