import type { Window } from '../decision/timing-policies.ts';
import type { MaintenanceWindow } from '../machine/update-policy.ts';

type WindowOf = (maintenance: readonly MaintenanceWindow[]) => Window | undefined;

/** `windowOf`, which for the modules of one machine is asked the same again and again. */
export function rememberWindows(windowOf: WindowOf): WindowOf {
  return remembering((maintenance) => {
    const window = windowOf(maintenance);
    return (
      window && {
        openSince: remembering((at) => window.openSince(at)),
        nextOpening: remembering((at) => window.nextOpening(at)),
        closing: remembering((at) => window.closing(at)),
      }
    );
  });
}

function remembering<K, V>(answer: (key: K) => V): (key: K) => V {
  const answers = new Map<K, { readonly value: V }>();
  return (key) => {
    const known = answers.get(key) ?? { value: answer(key) };
    answers.set(key, known);
    return known.value;
  };
}
