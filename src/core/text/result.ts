/** An outcome that the caller must look at: a value, or what stood in its way. */
export type Result<T, E> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
