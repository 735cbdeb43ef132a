/* Takes the commands of rover-7 once, at the registry of its second argument, and notes in the folder of the first which it carries out. */
import { appendFileSync } from 'node:fs';
import { secret } from '../../../src/core/index.ts';
import { keepState, keptState, noneServed } from '../../../src/host/served/served-state.ts';
import { commandRound } from '../../../src/host/served/site-commands.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import { commandClient } from '../../../src/registry/command-client.ts';

const [home = '', address = '', token = ''] = process.argv.slice(2);
const url = new URL(address);
const client = commandClient(
  { kind: 'modreg', url },
  { clock: systemClock, token: () => secret(token) },
);
if (!client.ok) throw client.error;
let state = keptState(home) ?? noneServed(url.origin, 'rover-7');
await commandRound(
  {
    client: client.value,
    clock: systemClock,
    proof: async () => undefined,
    isPinned: () => false,
    trust: async () => ({ ok: false, error: 'there is none' }),
    reading: () => ({ now: Date.now(), clock: undefined }),
    async carryOut({ number }) {
      appendFileSync(`${home}/carried`, `${number}\n`);
      return { result: 'done', detail: 'acme:lidar is held' };
    },
    state: () => state,
    become(next) {
      keepState(home, next);
      state = next;
      return true;
    },
    onNews: () => undefined,
    onNotice: () => undefined,
  },
  new AbortController().signal,
);
