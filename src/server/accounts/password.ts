import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** What a password is derived with: N, r and p of scrypt. */
interface Costs {
  readonly cost: number;
  readonly block: number;
  readonly parallel: number;
}

/** 32 MiB and 0.15 s of a core: the numbers of OWASP's password storage cheat sheet for this memory. */
const COSTS: Costs = { cost: 2 ** 15, block: 8, parallel: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** More than `COSTS` needs, so that a later modreg may choose others. */
const MOST_MEMORY = 128 * 1024 * 1024;

/** In UTF-16 units. A password is all that is asked for, so it is not short. */
const SHORTEST = 12;
const LONGEST = 256;

/** `scrypt:32768:8:3:<salt>:<hash>`, the last two in base64url. */
const STORED = /^scrypt:(\d{1,8}):(\d{1,3}):(\d{1,3}):([\w-]{22}):([\w-]{43})$/;
/** Compared with where no account has the name, so that the time does not tell. */
const OF_NO_ACCOUNT: string = stored(COSTS, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/** Why a text is no password for an account; undefined if it is one. */
export function passwordFault(password: string): string | undefined {
  const { length } = password.normalize('NFC');
  if (length >= SHORTEST && length <= LONGEST) return undefined;
  return `the password has ${length} characters, expected ${SHORTEST} to ${LONGEST}`;
}

/** What is stored of a new password (D370). */
export async function storedPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return stored(COSTS, salt, await derived(password, salt, COSTS));
}

/** Whether `password` is the one of which `text` is stored; false where nothing is stored, after as long. */
export async function isPassword(password: string, text: string | undefined): Promise<boolean> {
  const [, cost, block, parallel, salt = '', hash = ''] = STORED.exec(text ?? OF_NO_ACCOUNT) ?? [];
  const costs = { cost: Number(cost), block: Number(block), parallel: Number(parallel) };
  // Else it is a damaged row, or one of a later modreg (T778).
  if (!areUsable(costs)) return false;
  const typed = await derived(password, Buffer.from(salt, 'base64url'), costs);
  return timingSafeEqual(typed, Buffer.from(hash, 'base64url')) && text !== undefined;
}

/** Whether scrypt takes them; false for what is no number. */
function areUsable({ cost, block, parallel }: Costs): boolean {
  const isPower = cost > 1 && Number.isInteger(Math.log2(cost));
  const memory = 128 * block * (cost + parallel + 2);
  return isPower && block > 0 && parallel > 0 && memory <= MOST_MEMORY;
}

function stored({ cost, block, parallel }: Costs, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt.toString('base64url'), hash.toString('base64url')];
  return `scrypt:${cost}:${block}:${parallel}:${saltText}:${hashText}`;
}

async function derived(
  password: string,
  salt: Buffer,
  { cost: N, block: r, parallel: p }: Costs,
): Promise<Buffer> {
  // Keyboards differ in how they compose a letter with its mark.
  const text = password.normalize('NFC');
  return await new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, { N, r, p, maxmem: MOST_MEMORY }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
