import * as v from 'valibot';
import { isKeyId, isSignature } from '../../core/trust/key.ts';
import { MOST_SIGNATURES } from '../../registry/formats/signatures-field.ts';

/** Signatures of a release, as its author sends them: in base64, by the ids of their keys. */
export const signatures: v.GenericSchema<unknown, Record<string, string>> = v.pipe(
  v.record(
    v.pipe(
      v.string('expected text'),
      v.check(isKeyId, 'expected the id of a key, 16 hexadecimal digits'),
    ),
    v.pipe(
      v.string('expected text'),
      v.check(
        (text: string) => isSignature(text),
        'expected the 64 bytes of a signature in base64',
      ),
    ),
    'expected signatures by the ids of their keys',
  ),
  v.check(
    (all) => Object.keys(all).length <= MOST_SIGNATURES,
    `expected at most ${MOST_SIGNATURES} signatures`,
  ),
);
