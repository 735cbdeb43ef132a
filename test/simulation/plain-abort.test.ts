import { describe, expect, it } from 'vitest';
import { PlainAbortController, PlainAbortSignal } from './plain-abort.ts';

interface Platform {
  readonly AbortController: new () => AbortController;
  readonly AbortSignal: Pick<typeof AbortSignal, 'any'>;
}

const PLATFORMS: readonly Platform[] = [
  globalThis,
  // A cast: the classes have only the part of the interface that is used.
  { AbortController: PlainAbortController, AbortSignal: PlainAbortSignal } as unknown as Platform,
];

/** What `work` notes on each platform. */
function notes(work: (platform: Platform, note: (what: unknown) => void) => void): unknown[][] {
  return PLATFORMS.map((platform) => {
    const noted: unknown[] = [];
    work(platform, (what) => noted.push(what));
    return noted;
  });
}

const WHY = new Error('why');

describe('a plain AbortSignal behaves like that of Node', () => {
  it.each<[string, Parameters<typeof notes>[0], readonly unknown[]]>([
    [
      'state and reason',
      ({ AbortController: Controller }, note) => {
        const controller = new Controller();
        const { signal } = controller;
        note([signal.aborted, signal.reason]);
        signal.throwIfAborted();
        controller.abort(WHY);
        controller.abort(new Error('later'));
        note([signal.aborted, signal.reason]);
        try {
          signal.throwIfAborted();
        } catch (error) {
          note(error);
        }
      },
      [[false, undefined], [true, WHY], WHY],
    ],
    [
      'an abort without a reason',
      ({ AbortController: Controller }, note) => {
        const controller = new Controller();
        controller.abort();
        note(String(controller.signal.reason));
      },
      ['AbortError: This operation was aborted'],
    ],
    [
      'listeners in order, each once',
      ({ AbortController: Controller }, note) => {
        const controller = new Controller();
        const { signal } = controller;
        const [a, b, removed] = [() => note('a'), () => note('b'), () => note('removed')];
        signal.addEventListener('abort', b);
        signal.addEventListener('abort', removed, { once: true });
        signal.addEventListener('abort', a, { once: true });
        signal.addEventListener('abort', b, { once: true });
        signal.removeEventListener('abort', removed);
        controller.abort(WHY);
        controller.abort(WHY);
        signal.addEventListener('abort', () => note('too late'));
      },
      ['b', 'a'],
    ],
    [
      'a listener that removes the next one',
      ({ AbortController: Controller }, note) => {
        const controller = new Controller();
        const { signal } = controller;
        const next = (): void => note('next');
        signal.addEventListener('abort', () => signal.removeEventListener('abort', next));
        signal.addEventListener('abort', next);
        controller.abort(WHY);
      },
      [],
    ],
    [
      'a signal that follows others',
      ({ AbortController: Controller, AbortSignal: Signal }, note) => {
        const [one, other] = [new Controller(), new Controller()];
        const any = Signal.any([one.signal, other.signal]);
        const follower = Signal.any([any]);
        follower.addEventListener('abort', () => note(['follower', follower.reason]));
        other.signal.addEventListener('abort', () =>
          note(['source', any.aborted, follower.aborted]),
        );
        other.abort(WHY);
        one.abort(new Error('later'));
        note([one.signal.aborted, any.reason]);
      },
      [
        ['source', true, true],
        ['follower', WHY],
        [true, WHY],
      ],
    ],
    [
      'a signal that follows an aborted one',
      ({ AbortController: Controller, AbortSignal: Signal }, note) => {
        const controller = new Controller();
        controller.abort(WHY);
        const any = Signal.any([new Controller().signal, controller.signal]);
        note([any.aborted, any.reason]);
      },
      [[true, WHY]],
    ],
  ])('%s', (_, work, expected) => {
    expect(notes(work)).toEqual([expected, expected]);
  });
});
