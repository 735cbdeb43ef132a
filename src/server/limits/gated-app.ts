import type { IncomingMessage } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { ServerLimits } from '../server-limits.ts';
import type { refusalCount } from './refusal-count.ts';
import { refusingRepeated } from './repeated-header.ts';
import { requestGate, type RequestGate } from './request-gate.ts';

interface GatedAppOptions {
  readonly limits: ServerLimits;
  readonly refused: ReturnType<typeof refusalCount>;
  /** Called with each response before it is sent. */
  readonly onResponse?: (response: Response, request: IncomingMessage) => void;
}

/** A gate in front of an app, whose responses count as unsent until clients have read them. */
export function gatedApp(
  app: Pick<Hono, 'fetch'>,
  { limits, refused, onResponse }: GatedAppOptions,
): RequestGate {
  const listener = getRequestListener(
    (request, env) => {
      const sent = (response: Response): Response => {
        // The server speaks HTTP/1.1 only.
        const incoming = env.incoming as IncomingMessage;
        onResponse?.(response, incoming);
        gate.begin(incoming);
        return response;
      };
      // An async function would take twice as much while an answer waits.
      return Promise.resolve(app.fetch(request, env)).then(sent);
    },
    { overrideGlobalObjects: false },
  );
  const gate = requestGate(
    refusingRepeated((request, response) => void listener(request, response)),
    limits,
    (limit, { remoteAddress }) => refused(limit, remoteAddress),
  );
  return gate;
}
