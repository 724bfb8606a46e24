/** Guarantee: no loop of the worker appears, goes, or changes its pace or what wakes it without a visible diff. */
import { it } from 'vitest';
import type { World } from '../support/world.ts';
import { useWorld } from '../support/world.ts';
import { expectRecorded } from './recorded.ts';

let world: World;
useWorld((opened) => {
  world = opened;
});

it('the loops of a worker are as recorded, in the order of the flow', async () => {
  const loops = world.works.flatMap((work) => work.loops);
  const lines = loops.map((loop) =>
    [
      loop.name,
      `idle ${loop.idleMs} ms`,
      ...(loop.fullAt === undefined ? [] : [`full at ${loop.fullAt}`]),
      ...(loop.spreadMs === undefined ? [] : [`spread ${loop.spreadMs} ms`]),
      ...(loop.wakeOn === undefined ? [] : [`woken by ${loop.wakeOn.join(' ')}`]),
      ...(loop.isDue === undefined ? [] : ['looked at every two seconds']),
      ...(loop.perProcess === true ? ['once a process'] : []),
    ].join(' · '),
  );
  await expectRecorded('loops', lines, { ordered: true });
});
