// Preloaded into a process: prints its peak memory in KiB to stderr when it exits.
process.on('exit', () => {
  process.stderr.write(`memory: ${process.resourceUsage().maxRSS}\n`);
});
