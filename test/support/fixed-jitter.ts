/**
 * Waits between two attempts have a part that is drawn by chance, so that processes do not come back together. A test with
 * a fixed clock would end at another moment of them each time it runs: here chance always draws the middle. Tests of the
 * draw itself hand in their own.
 */
Math.random = () => 0.5;
