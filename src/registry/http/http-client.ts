import { environmentOf } from './network.ts';

/**
 * Sends every request of the project, with the global `fetch` by default. A response is one whatever its status, its body was not read, and no
 * redirect was followed: `follow` decides that, before a header leaves the origin (T41). It has no time limit, because `startDeadline` also limits the
 * body, its pauses and its rate (T37, T38, T39), and is sent once, because `retrying` alone decides what is sent again (R1).
 */
export async function sendRequest(
  url: URL,
  init: RequestInit,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Response> {
  const sent: RequestInit = { ...init, redirect: 'manual' };
  // The class `Request` loads Node's own `fetch`.
  if (environmentOf(fetch) !== undefined) return await fetch(url, sent);
  return await fetch(new Request(url, sent));
}
