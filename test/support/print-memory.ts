// Preloaded into a process: when it ends, says on stderr the most memory that it had, in KiB.
process.on('exit', () => {
  process.stderr.write(`memory: ${process.resourceUsage().maxRSS}\n`);
});
