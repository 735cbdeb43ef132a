import type { RequestListener } from 'node:http';

/** Notices that a server has had no request for a while. */
export interface IdleWatch {
  /** Resolves once no request was open for the time. */
  readonly idle: Promise<void>;
  /** `admit` for requests that count, until their responses have ended: those of feeds too. */
  readonly watched: (admit: RequestListener) => RequestListener;
  readonly stop: () => void;
}

/** Waits for `ms` without a request; forever if it is undefined. */
export function idleWatch(ms: number | undefined): IdleWatch {
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  let open = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = ms === undefined;
  const start = (): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(resolve, ms);
  };
  start();
  return {
    idle,
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
    watched: (admit) => (request, response) => {
      open++;
      clearTimeout(timer);
      response.once('close', () => {
        open--;
        if (open === 0) start();
      });
      admit(request, response);
    },
  };
}
