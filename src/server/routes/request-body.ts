/** The body of a request as text. */
export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'too-large' | 'not-utf-8' };

/** Reads a body of up to `most` bytes, and stops at the first byte beyond. Without a body, the text is empty. */
export async function readBody(request: Request, most: number): Promise<BodyText> {
  if (Number(request.headers.get('content-length') ?? 0) > most) {
    return { ok: false, reason: 'too-large' };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > most) return { ok: false, reason: 'too-large' };
    chunks.push(chunk);
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return { ok: true, text: decoder.decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, reason: 'not-utf-8' };
    throw error;
  }
}
