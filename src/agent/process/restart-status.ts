import { excerpt } from '../../core/text/quote.ts';

/** How long the server may take to answer. */
const LIMIT_MS = 2000;
const LARGEST = 64 * 1024;
const FIELD = 'restart_allowed';

/**
 * Whether the server allows a restart now: what it answers to a GET as `restart_allowed`. Rejects if it does not say (Agent
 * and server updates, rule 2).
 */
export async function isRestartAllowed(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  const text = await textOf(response);
  const allowed: unknown = response.ok ? fieldOf(text) : undefined;
  if (typeof allowed === 'boolean') return allowed;
  throw new Error(
    `${excerpt(url)} answered ${response.status} without ${FIELD}: true or false: ${excerpt(text)}`,
  );
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST) break;
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
