/** The body of a request as text. */
export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly because: 'too-large' | 'not-utf-8' };

/** Reads a body up to `most` bytes, and not a byte further; without a body, the empty text. */
export async function readBody(request: Request, most: number): Promise<BodyText> {
  if (Number(request.headers.get('content-length') ?? 0) > most) {
    return { ok: false, because: 'too-large' };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > most) return { ok: false, because: 'too-large' };
    chunks.push(chunk);
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return { ok: true, text: decoder.decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, because: 'not-utf-8' };
    throw error;
  }
}
