/** Replaces the registry's response to one request. Returns undefined after its last use. */
export type Fault = (respond: () => Promise<Response>) => Promise<Response | undefined>;

/** The next `times` responses have the status `status`. */
export function failTimes(times: number, status: number): Fault {
  return limited(times, async () => await Promise.resolve(new Response('', { status })));
}

/** The next response is a 503 that asks to retry after `seconds`. */
export function retryAfter(seconds: number): Fault {
  const headers = { 'retry-after': String(seconds) };
  return limited(1, async () => await Promise.resolve(new Response('', { status: 503, headers })));
}

/** The next response breaks off in the middle. */
export function torn(): Fault {
  return limited(1, async (respond) => {
    const { body, status, headers } = await respond();
    const whole = new Uint8Array(await new Response(body).arrayBuffer());
    const half = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(whole.subarray(0, whole.length / 2));
        // The first half must be sent before the connection breaks.
        setTimeout(() => controller.error(new TypeError('terminated')), 5);
      },
    });
    headers.set('content-length', String(whole.length));
    return new Response(half, { status, headers });
  });
}

/** The next response begins after `ms` milliseconds. */
export function slow(ms = 1000): Fault {
  return limited(1, async (respond) => {
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    return await respond();
  });
}

/** The next `times` requests fail with a network error. */
export function offline(times = 1): Fault {
  return limited(times, async () => await Promise.resolve(Response.error()));
}

/** The next response is the sign-in page of a captive portal. */
export function wrongType(): Fault {
  const page = '<!doctype html><title>Sign in</title>';
  const headers = { 'content-type': 'text/html' };
  return limited(1, async () => await Promise.resolve(new Response(page, { headers })));
}

function limited(
  times: number,
  fault: (respond: () => Promise<Response>) => Promise<Response>,
): Fault {
  let left = times;
  return async (respond) => {
    if (left === 0) return undefined;
    left--;
    return await fault(respond);
  };
}
