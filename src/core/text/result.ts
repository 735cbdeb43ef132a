/** Either a value or an error, as data. Parsers and readers of documents return one and never throw. */
export type Result<T, E> =
  | {
      readonly ok: true;
      /** What was read. */
      readonly value: T;
    }
  | {
      readonly ok: false;
      /** Why nothing was read. */
      readonly error: E;
    };
