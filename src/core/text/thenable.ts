/** Whether `await` waits for the value: a Promise, or another object with `then`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof Object(value).then === 'function';
}

/** Passes the rejection of what a callback returned to `handle`: nothing awaits it, and unhandled it ends the process. */
export function onRejection(returned: unknown, handle: (error: unknown) => void): void {
  if (isThenable(returned)) void Promise.resolve(returned).catch(handle);
}

/** Wraps a callback whose answer is needed at once. It throws a TypeError that names the callback if that is a Promise. */
export function synchronous<A extends readonly unknown[], T>(
  name: string,
  expected: string,
  call: (...args: A) => T,
): (...args: A) => T {
  return (...args) => {
    const answer = call(...args);
    if (!isThenable(answer)) return answer;
    onRejection(answer, () => undefined);
    throw new TypeError(`${name}() returned a Promise, expected ${expected} at once`);
  };
}

/** Wraps a callback that reports something, for a log: an error of it, even a later one, disturbs nothing and is ignored. */
export function harmless<A extends readonly unknown[]>(
  call: (...args: A) => unknown,
): (...args: A) => void {
  return (...args) => {
    try {
      onRejection(call(...args), () => undefined);
    } catch {
      // There is nowhere to report that the log fails.
    }
  };
}
