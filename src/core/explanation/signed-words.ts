import { deployedText } from '../decision/deployed.ts';
import type { DecideInput, Decision } from '../decision/decision.ts';
import type { Resolution } from '../releases/resolve.ts';

/**
 * Who signed the release that a decision selects, else what is deployed, as far as that was checked: `signed 2 of 2`, or `unsigned` if nobody has to (D178). `-` for
 * one without a list, or whose version was no candidate.
 */
export function signedWords({ input, resolution }: Decision): string {
  return signedAs(textOf(resolution) ?? deployedText(input.deployed) ?? '', input);
}

/** The same of the version with this text. */
export function signedAs(version: string, { list }: Pick<DecideInput, 'list'>): string {
  if ('error' in list) return '-';
  if (!list.trust) return 'unsigned';
  const { verdicts, document } = list.trust;
  const verdict = verdicts?.get(version);
  if (verdict === undefined) return '-';
  if (verdict === null)
    return document ? `signed ${document.needed} of ${document.needed}` : 'signed';
  if (verdict.reason === 'bad-signature') return 'bad signature';
  return verdict.needed === undefined
    ? 'unsigned'
    : `signed ${verdict.signed} of ${verdict.needed}`;
}

function textOf(resolution: Resolution | undefined): string | undefined {
  const release =
    resolution?.kind === 'resolved' ? resolution.release : resolution?.refusedPin?.release;
  return release?.version.text;
}
