/** Guarantee: a worker whose step fails at a named point, or that loses its connections there, repeats and loses nothing. */
import { describe, it } from 'vitest';
import { MATRIX, useMatrix } from './support/matrix.ts';

const { dieAt } = useMatrix();

describe('a worker dies', () => {
  it.each(MATRIX.filter(({ manner }) => manner !== 'kill'))(
    '$scenario at $point, $manner, $place',
    dieAt,
  );
});
