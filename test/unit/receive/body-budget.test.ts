/**
 * Guarantee: bodies that arrive never take more memory together than their shares, whatever pieces they
 * come in; what ends gives everything back; and large ones that crawl leave small ones their room.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createBodyBudget,
  LARGE_SHARE_BYTES,
  SMALL_BODY_BYTES,
  SMALL_SHARE_BYTES,
} from '../../../src/alerts/receive/body-budget.ts';

const KB = 1024;
const LARGEST = 256 * KB;

describe('one body', () => {
  it('is what came, in whatever pieces, whether or not its length was told', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 20 }),
        fc.boolean(),
        (pieces, isTold) => {
          const expected = Buffer.concat(pieces);
          const body = createBodyBudget().begin(isTold ? expected.length : undefined);
          for (const piece of pieces) expect(body.add(piece)).toBeUndefined();
          expect(body.whole().equals(expected)).toBe(true);
        },
      ),
    );
  });

  it('in one piece is kept as it came where the piece is all of its memory, and else copied', () => {
    const piece = Buffer.from(new Uint8Array([1, 2, 3]).buffer);
    const body = createBodyBudget().begin(3);
    expect(body.add(piece)).toBeUndefined();
    expect(body.whole().buffer).toBe(piece.buffer);
    // More than was told, as a server of somebody else's may let through.
    expect(body.add(Buffer.from([4]))).toBeUndefined();
    expect([...body.whole()]).toEqual([1, 2, 3, 4]);
    expect([...piece]).toEqual([1, 2, 3]);
    const part = Buffer.from(new Uint8Array(64 * KB).buffer, 0, 3);
    const other = createBodyBudget().begin(3);
    expect(other.add(part)).toBeUndefined();
    expect(other.whole().buffer.byteLength).toBe(3);
  });

  it('in one piece counts as one in many', () => {
    const budget = createBodyBudget();
    const bodies = Array.from({ length: 65 }, () => budget.begin(LARGEST));
    for (const body of bodies) expect(body.add(Buffer.alloc(LARGEST))).toBeUndefined();
    expect(budget.begin(LARGEST).add(Buffer.alloc(LARGEST))).toBe('busy');
    bodies[0]?.end();
    expect(budget.begin(LARGEST).add(Buffer.alloc(LARGEST))).toBeUndefined();
  });

  it('may have 256 KiB and not a byte more', () => {
    const body = createBodyBudget().begin(undefined);
    expect(body.add(Buffer.alloc(LARGEST))).toBeUndefined();
    expect(body.add(Buffer.alloc(1))).toBe('too_large');
  });

  it('of single bytes takes no more than one in a piece, and is copied a few times only', () => {
    const body = createBodyBudget().begin(undefined);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < LARGEST; count++) {
      if (body.add(Buffer.from([count % 251])) !== undefined) throw new Error('refused');
    }
    // What is counted is what is held; its garbage is the collector's.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * KB);
    expect(body.whole()[250]).toBe(250);
    expect(body.whole()).toHaveLength(LARGEST);
  });
});

describe('all bodies together', () => {
  it('65 of the largest are held, a 66th is not, and small ones still are', () => {
    const budget = createBodyBudget();
    // 65 × 252 KiB beyond their first 4 KiB are 16,380 of 16,384 KiB.
    expect([SMALL_BODY_BYTES, LARGE_SHARE_BYTES]).toEqual([4 * KB, 16_384 * KB]);
    const bodies = Array.from({ length: 65 }, () => budget.begin(LARGEST));
    for (const body of bodies) expect(body.add(Buffer.alloc(LARGEST - 1))).toBeUndefined();
    const next = budget.begin(LARGEST);
    expect(next.add(Buffer.alloc(LARGEST - 1))).toBe('busy');
    next.end();
    const small = budget.begin(2 * KB);
    expect(small.add(Buffer.alloc(2 * KB))).toBeUndefined();
    bodies[0]?.end();
    expect(budget.begin(LARGEST).add(Buffer.alloc(LARGEST - 1))).toBeUndefined();
  });

  it('5,000 small ones are held, and no more', () => {
    const budget = createBodyBudget();
    expect(SMALL_SHARE_BYTES).toBe(5_000 * 4 * KB);
    const first = budget.begin(4 * KB);
    expect(first.add(Buffer.alloc(4 * KB))).toBeUndefined();
    for (let count = 1; count < 5_000; count++) {
      expect(budget.begin(4 * KB).add(Buffer.alloc(4 * KB))).toBeUndefined();
    }
    expect(budget.begin(4 * KB).add(Buffer.alloc(1))).toBe('busy');
    first.end();
    expect(budget.begin(4 * KB).add(Buffer.alloc(1))).toBeUndefined();
  });

  it('a body that grows in steps gives back exactly what it took', () => {
    const budget = createBodyBudget();
    for (let round = 0; round < 200; round++) {
      const body = budget.begin(undefined);
      for (let step = 0; step < 20; step++) {
        expect(body.add(Buffer.alloc(10_000))).toBeUndefined();
      }
      body.end();
    }
  });
});
