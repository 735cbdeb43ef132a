/** The first bits of the fractional parts of the cube roots of the first 64 primes. (FIPS 180-4, 4.2.2) */
const K = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
/** The same of the square roots of the first eight. (FIPS 180-4, 5.3.3) */
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;
const WORDS = new Uint32Array(64);

/** The SHA-256 of `bytes`, as eight words. Browsers have none that answers at once (D347). (FIPS 180-4, 6.2) */
export function sha256(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = Uint32Array.from(START);
  for (let block = 0; block < padded.length; block += BLOCK) addBlock(state, view, block);
  return state;
}

function addBlock(state: Uint32Array, view: DataView, block: number): void {
  for (let place = 0; place < 16; place++) WORDS[place] = view.getUint32(block + 4 * place);
  for (let place = 16; place < 64; place++) {
    const [two, fifteen] = [at(WORDS, place - 2), at(WORDS, place - 15)];
    const one = turned(two, 17) ^ turned(two, 19) ^ (two >>> 10);
    const zero = turned(fifteen, 7) ^ turned(fifteen, 18) ^ (fifteen >>> 3);
    WORDS[place] = one + at(WORDS, place - 7) + zero + at(WORDS, place - 16);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let place = 0; place < 64; place++) {
    const sum1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = h + sum1 + ((e & f) ^ (~e & g)) + at(K, place) + at(WORDS, place);
    const sum0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    // Not destructured, which takes twice as long.
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [place, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[place] = at(state, place) + word;
  }
}

function at(words: Uint32Array, place: number): number {
  return words[place] ?? 0;
}

/** `word`, rotated to the right. */
function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fraction(root: number): number {
  return (root % 1) * 2 ** 32;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) {
    if (found.every((prime) => one % prime !== 0)) found.push(one);
  }
  return found;
}
