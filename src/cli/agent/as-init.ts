/** What is missing where the agent is process 1: the kernel gives it each process whose parent has ended (T346). */
export const AS_INIT =
  'the agent is process 1, and takes no exit codes of processes whose parents have ended: they stay in the table of processes until it is full';

export const INIT_FIX =
  'start the container with an init: docker run --init, or tini -- modreg agent run';
