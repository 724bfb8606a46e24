/**
 * Loaded before a role starts (`node --import`): on SIGUSR2 the process fills its memory until its limit
 * ends it, in the middle of whatever it does.
 */
const ballast: number[][] = [];

process.on('SIGUSR2', () => {
  for (;;) ballast.push(new Array<number>(100_000).fill(ballast.length));
});
