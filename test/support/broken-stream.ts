import { Writable } from 'node:stream';

/** A stream whose writes fail with these codes, one after another. */
export function brokenStream(...codes: readonly string[]): Writable {
  const left = [...codes];
  return new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => {
      const code = left.shift();
      done(code === undefined ? null : Object.assign(new Error(code), { code }));
    },
  });
}
