import { randomBytes } from 'node:crypto';
import type { Content } from './journal.ts';
import { publish, sha256Of, upload, yank, type Target } from './requests.ts';

/** All clients publish the same version, with different contents, in each step with such a number. */
const CONTESTED = 8;
const MOST_FILE_BYTES = 256 * 1024;

/** A release that this client published, with its yank. */
interface Own {
  readonly name: string;
  readonly version: string;
  readonly content: Content;
  yanked: string | null;
}

/** Publishes, yanks and uploads, one request after the other, until the server is killed. */
export async function runClient(
  target: Target,
  {
    id,
    storm,
    random,
  }: { readonly id: number; readonly storm: number; readonly random: () => number },
): Promise<void> {
  const own: Own[] = [];
  const names = [...target.journal.modules.keys()];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const publishNew = async (
    step: number,
    isContested: boolean,
    file?: Content['artifacts'],
  ): Promise<boolean> => {
    const name = isContested ? (names[0] ?? '') : pick(names);
    const version = isContested ? `${storm}.0.${step}` : `${storm}.${id}.${step}`;
    const marker = { deprecated: `of client ${id}` };
    const content = file ? { artifacts: file, ...marker } : marker;
    const isAnswered = await publish(target, { name, version, content }, isContested);
    if (isAnswered && !isContested) own.push({ name, version, content, yanked: null });
    return isAnswered;
  };
  const act = async (step: number): Promise<boolean> => {
    if (step % CONTESTED === 0) return await publishNew(step, true);
    const chance = random();
    if (chance < 0.15) {
      const bytes = randomBytes(Math.floor(random() * MOST_FILE_BYTES));
      const isUploaded = await upload(target, pick(names), bytes);
      return isUploaded && (await publishNew(step, false, artifactsOf(bytes)));
    }
    const release = pick(own);
    if (chance < 0.25 && own.length > 0) return await publish(target, release);
    if (chance < 0.5 && own.length > 0) {
      const reason = release.yanked === null ? `reason ${step}` : null;
      release.yanked = reason;
      return await yank(target, { ...release, reason });
    }
    return await publishNew(step, false);
  };
  for (let step = 0; await act(step); step++);
}

function artifactsOf(bytes: Uint8Array): Content['artifacts'] {
  const sha256 = sha256Of(bytes);
  const url = `../../artifacts/sha256/${sha256}`;
  return [{ platform: 'any', url, digest: `sha256:${sha256}`, size: bytes.length }];
}
