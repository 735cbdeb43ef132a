import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';

/** How long the server may take to answer. */
const LIMIT_MS = 2000;
/** In characters. */
const LARGEST = 64 * 1024;
const FIELD = 'restart_allowed';

/**
 * Whether the server allows a restart now: what it answers to a GET as `restart_allowed` (D29).
 * The error is one line: why it does not say. It is the same for each answer of a kind.
 */
export async function restartAllowedAt(url: string): Promise<Result<boolean, string>> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const unclear = (why: string): Result<boolean, string> => {
    return { ok: false, error: `${excerpt(url)} ${why}` };
  };
  try {
    // A redirection may lead to another machine, so it is not followed.
    const response = await fetch(url, { redirect: 'manual', signal });
    if (!response.ok) {
      await response.body?.cancel();
      return unclear(`answered ${response.status}`);
    }
    const text = await textOf(response);
    if (text === undefined) return unclear(`answered with more than ${LARGEST} characters`);
    const allowed = fieldOf(text);
    if (typeof allowed === 'boolean') return { ok: true, value: allowed };
    return unclear(`answered without ${FIELD}: true or false`);
  } catch (error) {
    if (signal.aborted) return unclear(`did not answer within ${LIMIT_MS / 1000} seconds`);
    return unclear(`does not answer (${codeOf(error)})`);
  }
}

/** Asks the server: one that does not say does not allow a restart. Each change of the reason is told once. */
export function askingServer(
  onUnclear: (reason: string) => void,
): (url: string) => Promise<boolean> {
  let last: string | undefined;
  return async (url) => {
    const allowed = await restartAllowedAt(url);
    const unclear = allowed.ok ? undefined : allowed.error;
    if (unclear !== undefined && unclear !== last) onUnclear(unclear);
    last = unclear;
    return allowed.ok && allowed.value;
  };
}

/** The text of a body; undefined if it is too large. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST) return undefined;
  }
  return text;
}

function fieldOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return (Object(value) as Readonly<Record<string, unknown>>)[FIELD];
  } catch {
    return undefined;
  }
}

/** What `fetch` rejects with has the error of the connection as its cause. */
function codeOf(error: unknown): string {
  const { code } = Object((error as Error).cause) as NodeJS.ErrnoException;
  return excerpt(code ?? String(error));
}
