/* Machines that follow three fronts while a node and a front are killed: `npm run cluster -- storm --help`. */
import { playStorm } from '../../test/cluster/nodes/storm.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Starts three NATS nodes and three fronts; machines follow all modules while publishers publish; the node that leads and a
front are killed. Then compares what each machine has with what the fronts have, and with what was acknowledged.
  --machines N      (default 3000)
  --publications N  (default 1000)
  --modules N       (default 10)
  --spread MS       over which machines spread their requests after a change (default 5000)`;

const { values } = optionsOf(
  {
    options: {
      machines: { type: 'string', default: '3000' },
      publications: { type: 'string', default: '1000' },
      modules: { type: 'string', default: '10' },
      spread: { type: 'string', default: '5000' },
    },
  },
  HELP,
);
const result = await playStorm({
  machines: wholeNumber('--machines', values.machines, 1),
  publications: wholeNumber('--publications', values.publications, 3),
  modules: wholeNumber('--modules', values.modules, 1),
  spreadMs: wholeNumber('--spread', values.spread, 0),
});
const seconds = (ms: number): string => (ms / 1000).toFixed(1);
console.log(`${result.wrong} of ${result.pairs} pairs of machine and module wrong`);
console.log(
  `published in ${seconds(result.publishedInMs)} s, longest pause ${seconds(result.longestPauseMs)} s`,
);
console.log(`converged ${seconds(result.convergedInMs)} s after the last acknowledgement`);
const findings = [...new Set(result.findings)];
console.log(`${result.findings.length} findings`);
for (const finding of findings.slice(0, 20)) console.log(finding);
process.exitCode = result.wrong + findings.length === 0 ? 0 : 1;
