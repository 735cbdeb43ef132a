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
