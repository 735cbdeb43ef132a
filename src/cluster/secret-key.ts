import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { SecretKey, SecretOf } from '../server/configs/sealed-secrets.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

/**
 * Seals values with AES-256-GCM by the 32 bytes that fronts share (D402). What a value is for is authenticated, so that none can be moved to
 * another machine, name or place. The nonce is made of all of it: no two values have the same one, also if two fronts seal at once.
 */
export function secretKey(bytes: Uint8Array): SecretKey {
  const derived = (what: string): Buffer =>
    createHmac('sha256', bytes).update(`modreg/secrets@1 ${what}`).digest();
  const [sealing, naming] = [derived('seal'), derived('nonce')];
  return {
    id: derived('id').toString('hex').slice(0, 16),
    seal(of, value) {
      const about = aboutOf(of);
      const nonce = createHmac('sha256', naming)
        .update(about)
        .update(value)
        .digest()
        .subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealing, nonce).setAAD(about);
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    },
    open(of, sealed) {
      const all = Buffer.from(sealed, 'base64');
      const text = all.subarray(NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, sealing, all.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(aboutOf(of))
          .setAuthTag(all.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      } catch {
        // It was sealed with another key, or for something else.
        return undefined;
      }
    },
  };
}

function aboutOf({ machine, name, places }: SecretOf): Buffer {
  return Buffer.from(JSON.stringify([machine, name, places]));
}
