import type { Clock } from '../registry/clock.ts';

/** What happens to the next requests to a test registry instead of a response. */
export type Fault =
  | {
      readonly kind: 'status';
      /** The status of the responses, such as 503. */
      readonly status: number;
      /** How many responses; 1 by default. */
      readonly times?: number;
    }
  | {
      /** The next response is a 503 that asks to retry later. */
      readonly kind: 'retry-after';
      /** How much later. */
      readonly seconds: number;
    }
  | {
      /** The next response breaks off in the middle. */
      readonly kind: 'torn';
    }
  | {
      readonly kind: 'slow';
      /** The next response begins after this time on the registry's clock, in milliseconds. */
      readonly ms: number;
    }
  | {
      /** The registry cannot be reached. */
      readonly kind: 'offline';
      /** How many requests get no response; 1 by default, `Infinity` until the registry is mended. */
      readonly times?: number;
    }
  | {
      /** The next response is the sign-in page of a captive portal. */
      readonly kind: 'wrong-type';
    };

/** The faults of a registry, in order. */
export interface Faults {
  add(...faults: readonly Fault[]): void;
  clear(): void;
  /** Whether a fault is left for a later request. */
  areLeft(): boolean;
  /** The response to one request: of the next fault, else that of `respond`. */
  apply(respond: () => Promise<Response>): Promise<Response>;
}

export function faultsOn(clock: Clock): Faults {
  const left: { readonly fault: Fault; times: number }[] = [];
  return {
    add: (...faults) => {
      for (const fault of faults) left.push({ fault, times: timesOf(fault) });
    },
    clear: () => void left.splice(0),
    areLeft: () => left.some(({ times }) => times > 0),
    apply: async (respond) => {
      while (left[0]?.times === 0) left.shift();
      const [next] = left;
      if (!next) return await respond();
      next.times--;
      return await faulty(next.fault, respond, clock);
    },
  };
}

function timesOf(fault: Fault): number {
  return 'times' in fault ? (fault.times ?? 1) : 1;
}

async function faulty(
  fault: Fault,
  respond: () => Promise<Response>,
  clock: Clock,
): Promise<Response> {
  switch (fault.kind) {
    case 'status':
      return new Response('', { status: fault.status });
    case 'retry-after':
      return new Response('', { status: 503, headers: { 'retry-after': String(fault.seconds) } });
    case 'torn':
      return await torn(await respond());
    case 'slow':
      await clock.sleep(fault.ms);
      return await respond();
    case 'offline':
      throw unreachable();
    case 'wrong-type': {
      const page = '<!doctype html><title>Sign in</title>';
      return new Response(page, { headers: { 'content-type': 'text/html' } });
    }
  }
}

/** The error of `fetch` when nothing listens at the address. */
export function unreachable(): TypeError {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  return new TypeError('fetch failed', { cause });
}

async function torn({ body, status, headers }: Response): Promise<Response> {
  const whole = new Uint8Array(await new Response(body).arrayBuffer());
  let isSent = false;
  const half = new ReadableStream<Uint8Array>({
    // The second read of the body fails.
    pull(controller) {
      if (isSent) controller.error(new TypeError('terminated'));
      else controller.enqueue(whole.subarray(0, whole.length / 2));
      isSent = true;
    },
  });
  headers.set('content-length', String(whole.length));
  return new Response(half, { status, headers });
}
