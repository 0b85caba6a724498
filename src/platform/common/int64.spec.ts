import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN, parseInt64 } from './int64.js';

describe('parseInt64', () => {
  it.each([
    ['-0.0e-5', 0n],
    ['1.0', 1n],
    ['1e2', 100n],
    ['10e-1', 1n],
    ['0.00012e5', 12n],
    ['1e0000000000000000000018', 10n ** 18n],
    ['9223372036854775807.000', INT64_MAX],
    ['-9.223372036854775808e18', INT64_MIN],
    ['92233720368547758070e-1', INT64_MAX],
  ])('reads %s', (text, value) => {
    expect(parseInt64(text)).toBe(value);
  });

  it.each([
    ...['9223372036854775808', '-9223372036854775809', '1e19', '9223372036854775807.1', '0.5', '105e-1'],
    ...['', ' 1', '1\n', '\ufeff1', '１', '1_0', '1n', '0x10', 'NaN', '1,0', '1e1.0', '1e5x'],
  ])('refuses %j', (text) => {
    expect(parseInt64(text)).toBeUndefined();
  });

  it('is exact and fast for any exponent and length', () => {
    const zeros = '0'.repeat(1_000_000);
    const begun = performance.now();
    expect(parseInt64('1e999999999')).toBeUndefined();
    expect(parseInt64(`1e${'9'.repeat(1_000_000)}`)).toBeUndefined();
    expect(parseInt64('1e-999999999')).toBeUndefined();
    expect(parseInt64('0e999999999')).toBe(0n);
    expect(parseInt64(`0.${zeros}e-999999999999999999999`)).toBe(0n);
    expect(parseInt64(`0.${zeros}7e1000001`)).toBe(7n);
    expect(parseInt64(`0.${zeros}7e1000000`)).toBeUndefined();
    expect(parseInt64(`7${zeros}e-1000000`)).toBe(7n);
    expect(parseInt64(`7${zeros}.${zeros}e-1000000`)).toBe(7n);
    expect(parseInt64(`7.${zeros}1`)).toBeUndefined();
    expect(parseInt64(`1e${zeros}3`)).toBe(1000n);
    expect(parseInt64('9'.repeat(1_000_000))).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('reads every int64, also with an exponent and added zeros', () => {
    fc.assert(
      fc.property(
        fc.bigInt(INT64_MIN, INT64_MAX),
        fc.nat(25),
        fc.nat(25),
        fc.nat(25),
        (value, left, right, moved) => {
          const sign = value < 0n ? '-' : '';
          const digits =
            (value < 0n ? -value : value).toString().padStart(moved + 1, '0') + '0'.repeat(right);
          const point = digits.length - right - moved;
          const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0';
          const text = `${sign}${whole}.${digits.slice(point)}0e${'0'.repeat(left)}${moved}`;
          expect([parseInt64(text), parseInt64(String(value))]).toEqual([value, value]);
        },
      ),
    );
  });
});
