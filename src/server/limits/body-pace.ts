import type { IncomingMessage } from 'node:http';
import type { ServerLimits } from '../server-limits.ts';

/**
 * Calls `tooSlow` if the body of `request` does not arrive in time: in each period of `request` milliseconds, `bodyBytes`
 * or the rest of it. Node's own time for a whole request would end the upload of a large file.
 */
export function watchBody(
  request: IncomingMessage,
  limits: Pick<ServerLimits, 'request' | 'bodyBytes'>,
  tooSlow: () => void,
): void {
  const { headers, socket } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = socket;
    if (request.complete) stop();
    else if (bytesRead - before < limits.bodyBytes) tooSlow();
    before = bytesRead;
  }, limits.request);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    // Or each request of a connection would take memory until it closes.
    socket.off('close', stop);
  };
  request.once('end', stop);
  request.once('close', stop);
  socket.once('close', stop);
}
