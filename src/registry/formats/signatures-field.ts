import { isKeyId, isSignature } from '../../core/trust/key.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Drop } from './decoded-list.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** More than any namespace needs. */
export const MOST_SIGNATURES = 16;
const EXPECTED = 'signatures in base64 by the ids of their keys';

/**
 * The signatures of a release, or of its yank; undefined if there are none. Other registries use the word for other things: what is no signature
 * is reported and ignored, so that the release counts as unsigned (T460).
 */
export function decodeSignatures(
  of: JsonObject,
  field: 'signatures' | 'yank_signatures',
  path: Path,
  drop: Drop,
): Readonly<Record<string, string>> | undefined {
  const { [field]: value } = of;
  if (value === undefined || value === null) return undefined;
  const at = [...path, field];
  if (!isJsonObject(value)) {
    drop(at, value, EXPECTED);
    return undefined;
  }
  const entries = Object.entries(value);
  if (entries.length > MOST_SIGNATURES) {
    drop(at, value, `at most ${MOST_SIGNATURES} ${EXPECTED}`);
    return undefined;
  }
  const signatures = entries.filter((entry): entry is [string, string] => {
    const [keyId, signature] = entry;
    if (isKeyId(keyId) && isSignature(signature)) return true;
    drop([...at, keyId], signature, EXPECTED);
    return false;
  });
  return signatures.length === 0 ? undefined : Object.fromEntries(signatures);
}
