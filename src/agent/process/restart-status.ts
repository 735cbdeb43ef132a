import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { networkFetch } from '../../registry/http/network.ts';

/** How long the server may take to answer. */
const LIMIT_MS = 2000;
/** In characters. */
const LARGEST = 64 * 1024;
const FIELD = 'restart_allowed';
/** A program of this machine is asked without a proxy, also where Node's own `fetch` would use one. */
const fetch = networkFetch({});

/** What a program says about its restart. */
export interface RestartStatus {
  readonly isAllowed: boolean;
  /** Why it is not, in its own words; undefined if it does not say. */
  readonly reason: string | undefined;
  /** Whether it says that this may be overridden; undefined if it does not say. */
  readonly isOverridable: boolean | undefined;
}

/**
 * Whether a program allows its restart now: what it answers to a GET as `restart_allowed`, `reason` and `overridable` (D29, D77).
 * The error is one line: why it does not say. It is the same for each answer of a kind.
 */
export async function restartStatusAt(url: string): Promise<Result<RestartStatus, string>> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const unclear = (why: string): Result<RestartStatus, string> => {
    // Its query may have a secret.
    return { ok: false, error: `${excerpt(url.replace(/[?#].*/, ''))} ${why}` };
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
    const status = statusIn(text);
    if (status) return { ok: true, value: status };
    return unclear(`answered without ${FIELD}: true or false`);
  } catch (error) {
    if (signal.aborted) return unclear(`did not answer within ${LIMIT_MS / 1000} seconds`);
    return unclear(`does not answer (${codeOf(error)})`);
  }
}

/** Asks programs with `statusAt`, by their names; undefined if one does not say, which `isHeld` counts as a veto. Each change of the reason is told once. */
export function askingPrograms(
  statusAt: typeof restartStatusAt,
  onUnclear: (name: string, reason: string, isHeld: boolean) => void,
): (name: string, url: string, isHeld: boolean) => Promise<RestartStatus | undefined> {
  const last = new Map<string, string>();
  return async (name, url, isHeld) => {
    const status = await statusAt(url);
    if (status.ok) {
      last.delete(name);
      return status.value;
    }
    if (last.get(name) !== status.error) onUnclear(name, status.error, isHeld);
    last.set(name, status.error);
    return undefined;
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

function statusIn(text: string): RestartStatus | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { [FIELD]: isAllowed, reason, overridable } = Object(value) as Record<string, unknown>;
  if (typeof isAllowed !== 'boolean') return undefined;
  return {
    isAllowed,
    reason: typeof reason === 'string' ? reason : undefined,
    isOverridable: typeof overridable === 'boolean' ? overridable : undefined,
  };
}

/** What `fetch` rejects with has the error of the connection as its cause. */
function codeOf(error: unknown): string {
  const { code } = Object((error as Error).cause) as NodeJS.ErrnoException;
  return excerpt(code ?? String(error));
}
