/** The bytes of a file from `first` to `last`. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The bytes that the `Range` header of a request for a file of `size` bytes asks for: `whole` if there is none or it is not
 * one range of bytes, and `none` if the file has none of them (RFC 9110, section 14).
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  const [first, last] =
    from === ''
      ? [Math.max(0, size - Number(to)), size - 1]
      : [Number(from), to === '' ? size - 1 : Number(to)];
  // Not a range, so it is ignored.
  if (from !== '' && to !== '' && first > last) return 'whole';
  if (first >= size) return 'none';
  return { first, last: Math.min(last, size - 1) };
}
