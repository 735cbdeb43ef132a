import { describe, expect, it, onTestFinished } from 'vitest';
import { openRegistries } from '../../src/registries/open-registries.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { trustOf } from '../support/signed.ts';
import {
  askedInVain,
  failure,
  REFUSED,
  registryWith,
  RELEASES,
  selected,
  TRUST,
} from './support/trusted.ts';

describe('the trust document of a registry', () => {
  it('[D138] is saved, so that a process which starts without the registry has its lists', async () => {
    const { address, fetch } = registryWith(TRUST, RELEASES);
    const file = openMachineFile(`${temporaryFolder()}/machine.db`);
    onTestFinished(() => file.close());
    const saved = savedListsIn(file);
    const after = (options: object) =>
      openRegistries({ saved, fetch, ...options }).registryFor({
        registry: address,
        trust: TRUST.pin,
      });
    const none = await failure(after({ isOffline: true }));
    const unsaved = `offline: the registry ${address} was not contacted, and its trust document is not saved`;
    expect(none).toEqual(['registry-unreachable', unsaved, undefined]);
    expect(await selected(after({}), '1.*')).toEqual(['1.2.0', REFUSED]);
    expect(saved.trust?.(TRUST.pin)).toBe(TRUST.text);
    for (const options of [{ isOffline: true }, { fetch: askedInVain }]) {
      expect(await selected(after(options), '1.*')).toEqual(['1.2.0', REFUSED]);
    }
    // What a disk changed is asked for again, and so is what another pin names.
    for (const damaged of [
      '',
      TRUST.text.replace('1 ed', '2 ed'),
      trustOf(undefined, []).text,
      trustOf([]).text,
    ]) {
      saved.saveTrust?.(TRUST.pin, damaged);
      expect(await failure(after({ isOffline: true }))).toEqual(none);
      expect(await selected(after({}), '1.*')).toEqual(['1.2.0', REFUSED]);
      expect(saved.trust?.(TRUST.pin)).toBe(TRUST.text);
    }
  });

  it('[D138] is used although it cannot be saved', async () => {
    const { address, fetch } = registryWith(TRUST, RELEASES);
    const file = openMachineFile(`${temporaryFolder()}/machine.db`);
    const saved = savedListsIn(file);
    file.close();
    const troubles: string[] = [];
    const onTrouble = ({ kind }: { readonly kind: string }) => void troubles.push(kind);
    const { registryFor } = openRegistries({ saved, fetch, onTrouble });
    const registry = registryFor({ registry: address, trust: TRUST.pin });
    expect(await selected(registry, '1.*')).toEqual(['1.2.0', REFUSED]);
    expect(new Set(troubles)).toEqual(new Set(['state-unreadable']));
  });
});
