// Loaded before a program: its timers run ten times as fast, because a poller waits for at least five seconds between two rounds.
const FASTER = 10;

const { setTimeout: start } = globalThis;
const monotonic = performance.now.bind(performance);

function sooner<Args extends unknown[]>(
  callback: (...args: Args) => void,
  ms = 0,
  ...args: Args
): NodeJS.Timeout {
  return start(callback, ms / FASTER, ...args);
}
globalThis.setTimeout = Object.assign(sooner, start);
performance.now = () => monotonic() * FASTER;
