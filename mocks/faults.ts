/** What becomes of one request: an answer in place of the registry's, or undefined once the fault is spent. */
export type Fault = (answer: () => Promise<Response>) => Promise<Response | undefined>;

/** The next `times` requests are answered by `status`. */
export function failTimes(times: number, status: number): Fault {
  return limited(times, async () => await Promise.resolve(new Response('', { status })));
}

/** The next request is told to come again after `seconds`. */
export function retryAfter(seconds: number): Fault {
  const headers = { 'retry-after': String(seconds) };
  return limited(1, async () => await Promise.resolve(new Response('', { status: 503, headers })));
}

/** The next answer breaks off in the middle. */
export function torn(): Fault {
  return limited(1, async (answer) => {
    const { body, status, headers } = await answer();
    const whole = new Uint8Array(await new Response(body).arrayBuffer());
    const half = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(whole.subarray(0, whole.length / 2));
        // What was sent must be on its way before the connection breaks.
        setTimeout(() => controller.error(new TypeError('terminated')), 5);
      },
    });
    headers.set('content-length', String(whole.length));
    return new Response(half, { status, headers });
  });
}

/** The next answer begins after `ms`. */
export function slow(ms = 1000): Fault {
  return limited(1, async (answer) => {
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    return await answer();
  });
}

/** The next `times` requests reach nobody. */
export function offline(times = 1): Fault {
  return limited(times, async () => await Promise.resolve(Response.error()));
}

/** The next answer is the sign-in page of a captive portal. */
export function wrongType(): Fault {
  const page = '<!doctype html><title>Sign in</title>';
  const headers = { 'content-type': 'text/html' };
  return limited(1, async () => await Promise.resolve(new Response(page, { headers })));
}

function limited(
  times: number,
  fault: (answer: () => Promise<Response>) => Promise<Response>,
): Fault {
  let left = times;
  return async (answer) => {
    if (left === 0) return undefined;
    left--;
    return await fault(answer);
  };
}
