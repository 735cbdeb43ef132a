import { excerpt } from '../../core/text/quote.ts';
import { earlierDataWords, moveCommands, type EarlierData } from '../../host/module-data.ts';
import { findingsOf, type Finding } from './finding.ts';

const { warning } = findingsOf('modules');

/** Whether modules have data in folders that they used before (T341). */
export function checkData(elsewhere: readonly EarlierData[]): Finding[] {
  return elsewhere.map((one) =>
    warning(
      `${excerpt(one.name)}: ${earlierDataWords(one)}`,
      `end the agent, ${moveCommands(one)}, and start the agent; or remove what nothing needs`,
    ),
  );
}
