import { withoutFinalSlashes } from '../../core/text/final-slashes.ts';

const DEADLINE_MS = 4000;

/**
 * The kind of a server that does not respond as modreg's own registry: by the version of the API that each path of an OCI registry names (OCI
 * Distribution, "Determining Support"), or by the ping of an npm registry. Undefined if it is neither.
 */
export async function otherKind(
  url: URL,
  fetch: typeof globalThis.fetch,
): Promise<'npm' | 'oci' | undefined> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = async (path: string, base: string): Promise<Response | undefined> => {
    try {
      const response = await fetch(new URL(path, base), { signal, redirect: 'manual' });
      await response.body?.cancel();
      return response;
    } catch {
      return undefined;
    }
  };
  const base = `${withoutFinalSlashes(url.href)}/`;
  const [oci, npm] = await Promise.all([answer('/v2/', url.origin), answer('-/ping', base)]);
  if (oci?.headers.has('docker-distribution-api-version') === true) return 'oci';
  const isPing = npm?.status === 200 && /json/.test(npm.headers.get('content-type') ?? '');
  return isPing ? 'npm' : undefined;
}
