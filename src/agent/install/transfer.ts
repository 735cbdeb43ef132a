import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { excerpt } from '../../core/text/quote.ts';
import type { Secret } from '../../core/text/secret.ts';
import type { ExchangeContext } from '../../registry/http/exchange.ts';
import { proxyDenial } from '../../registry/http/network-failure.ts';
import type { Authorization, RegistryAccess } from '../../registry/http/registry-access.ts';
import { limitReached } from '../../registry/http/request-limit.ts';
import { readRetryAfter } from '../../registry/http/retry-after.ts';
import { openReply, type StreamedReply } from '../../registry/http/streamed-reply.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { MOST_PACKED, type ArtifactSource } from './artifact-source.ts';
import { hashFile } from './file-digest.ts';
import { machineFault, wrongRelease } from './install-failure.ts';

/** What a transfer needs besides its source. */
export interface TransferContext extends ExchangeContext {
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly token: Secret | undefined;
  /** How the token is sent. */
  readonly access: RegistryAccess;
  /** Called with the bytes in the file, and those that are expected; undefined if that is not known. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
}

/** A complete file. */
export interface Transferred {
  /** In hexadecimal. */
  readonly hex: string;
  readonly size: number;
  /** Whether an earlier transfer wrote a part of it. */
  readonly isResumed: boolean;
}

const BUSY = new Set([408, 425, 429]);
const DENIED = new Set([401, 403]);
const WEB_PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i;

/**
 * Completes `file`, which may have the beginning of the file at `source`. The result is not verified. Throws a RegistryError if
 * the server or the connection fails, and a refusal if the response is not the file; `file` then has what has arrived.
 */
export async function transfer(
  source: ArtifactSource,
  file: FileHandle,
  context: TransferContext,
): Promise<Transferred> {
  const { digest, size } = source;
  const algorithm = digest?.algorithm ?? 'sha256';
  const found = await file.stat();
  // Without a digest, nothing shows whether what is there belongs to this file.
  const isUsable = digest !== undefined && found.size <= (size ?? MOST_PACKED);
  if (!isUsable) await file.truncate(0);
  const begun = await hashFile(file, algorithm, context.signal);
  if (begun.size > 0 && begun.size === size) {
    return { hex: begun.hash.digest('hex'), size, isResumed: true };
  }
  const reply = await opened(source, begun.size, context);
  try {
    const place = placeOf(reply, source, begun.size, context.clock.now());
    if (place !== undefined) {
      const isResumed = place.first > 0;
      if (!isResumed) await file.truncate(0);
      const hash = isResumed ? begun.hash : createHash(algorithm);
      return await receive(reply, file, { ...source, ...context, ...place, hash });
    }
  } finally {
    reply.close();
  }
  // The server has no such range: without one, it sends the whole file.
  await file.truncate(0);
  return await transfer(source, file, context);
}

/** The response, which may be the second one if the server asks for authorization. */
async function opened(
  source: ArtifactSource,
  first: number,
  context: TransferContext,
): Promise<StreamedReply> {
  const { access, token } = context;
  let reply: StreamedReply | undefined;
  const send = async (
    authorization?: Pick<Authorization, 'scheme' | 'token'>,
  ): Promise<StreamedReply> => {
    reply?.close();
    reply = await openReply(requestFor(source, first, { ...context, authorization }), context);
    return reply;
  };
  try {
    return await access.sending({ url: source.url, token }, context, send);
  } catch (error) {
    reply?.close();
    throw error;
  }
}

function requestFor(
  { url, where, digest }: ArtifactSource,
  first: number,
  {
    fetch,
    authorization,
  }: Pick<TransferContext, 'fetch'> & {
    readonly authorization: Pick<Authorization, 'scheme' | 'token'> | undefined;
  },
): Parameters<typeof openReply>[0] {
  return {
    url,
    where,
    fetch,
    mayLeave: digest !== undefined,
    headers: {
      // GitHub's API sends a file to a client that accepts this, and its description to any other.
      accept: 'application/octet-stream',
      // A digest is that of the file, not of what a server makes of it.
      'accept-encoding': 'identity',
      ...(first > 0 ? { range: `bytes=${first}-` } : {}),
      ...(authorization && {
        authorization: `${authorization.scheme} ${authorization.token.reveal()}`,
      }),
    },
  };
}

/** Where the body of a response belongs. */
interface Place {
  readonly first: number;
  /** The size of the whole file; undefined if nothing says it. */
  readonly total: number | undefined;
}

/**
 * Where the body belongs if `first` bytes are there. Undefined if it is no continuation of them. Throws unless the response is
 * the file, as far as its header shows.
 */
function placeOf(
  { status, headers }: StreamedReply,
  { where, size }: ArtifactSource,
  first: number,
  now: number,
): Place | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (first > 0 && (status === 416 || (status === 206 && Number(range?.[1]) !== first))) {
    return undefined;
  }
  checkStatus({ status, headers }, where, now);
  const type = headers.get('content-type') ?? '';
  if (WEB_PAGE.test(type)) {
    const reason = `${where} is answered with a web page (${excerpt(type)}): does this network need a login?`;
    throw machineFault('wrong-response', reason);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const reason = `${where} is sent with content-encoding ${excerpt(encoding)}, expected none, so that it can be compared with its digest`;
    throw machineFault('wrong-response', reason);
  }
  const length = headers.get('content-length');
  const whole = length === null ? undefined : Number(length);
  const total = status === 200 ? whole : range?.[2] === '*' ? undefined : Number(range?.[2]);
  if (total !== undefined) checkTotal(total, where, size);
  return { first: status === 200 ? 0 : first, total: size ?? total };
}

function checkTotal(total: number, where: string, size: number | undefined): void {
  if (size !== undefined && total !== size) {
    throw machineFault('wrong-response', `${where} has ${total} bytes, expected ${size}`);
  }
  if (total > MOST_PACKED) {
    const reason = `${where} has ${total} bytes, expected at most ${MOST_PACKED}`;
    throw wrongRelease('too-large', reason);
  }
}

function checkStatus(
  { status, headers }: Pick<StreamedReply, 'status' | 'headers'>,
  where: string,
  now: number,
): void {
  if (status === 200 || status === 206) return;
  if (status === 407) throw proxyDenial(where);
  const server = `the server of ${where}`;
  const limited = limitReached({ status, headers }, server, { hasToken: true, now });
  if (limited) throw limited;
  if (DENIED.has(status)) {
    throw new RegistryError('registry-refused', `the server of ${where} denies access (${status})`);
  }
  if (BUSY.has(status) || status >= 500) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
    const message = `the server of ${where} is busy or failing (${status})`;
    throw new RegistryError('registry-busy', message, { retryAfterMs });
  }
  const isMissing = status === 404 || status === 410;
  const kind = isMissing ? 'missing' : 'wrong-response';
  const found = isMissing ? 'does not have it' : 'does not send it';
  throw machineFault(kind, `the server of ${where} ${found} (${status})`);
}

interface Receiving extends Place, ArtifactSource, Pick<TransferContext, 'onProgress'> {
  /** The hash of the bytes that are there. */
  readonly hash: Hash;
}

async function receive(
  { parts }: StreamedReply,
  file: FileHandle,
  { where, first, total, size, hash, onProgress }: Receiving,
): Promise<Transferred> {
  let received = first;
  for await (const part of parts()) {
    if (received + part.length > (total ?? MOST_PACKED)) {
      await file.truncate(0);
      const reason = `${where} has more than ${total ?? MOST_PACKED} bytes`;
      throw size === undefined && total === undefined
        ? wrongRelease('too-large', reason)
        : machineFault('wrong-response', reason);
    }
    hash.update(part);
    await writeAt(file, part, received);
    received += part.length;
    onProgress(received, total);
  }
  if (total !== undefined && received < total) {
    const found = `${where} ended after ${received} of ${total} bytes`;
    throw new RegistryError('registry-unreachable', found);
  }
  return { hex: hash.digest('hex'), size: received, isResumed: first > 0 };
}

async function writeAt(file: FileHandle, part: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < part.length;) {
    const { bytesWritten } = await file.write(part, done, part.length - done, place + done);
    done += bytesWritten;
  }
}
