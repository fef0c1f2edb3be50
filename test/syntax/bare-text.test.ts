import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BareText } from '../../src/syntax/bare-text.js';

describe('BareText', () => {
  it('leaves out comments that end a line, blanks there and empty lines', () => {
    const text = [
      '(* why *)',
      'PTX "see https://example.org"',
      '{ x = 0; }   // the flag',
      '',
      'P0 { /* here */ st [x], 1; (* one *) /* two',
      'lines */ // three',
      '}',
    ].join('\n');
    expect(new BareText(text).text).toBe('PTX\n"see https://example.org"\n{ x = 0; }\nP0 { /* here */ st [x], 1;\n}');
  });

  it('keeps what a comment only seems to be in, and the header as it is', () => {
    const described = (value: number): string =>
      `PTX T\n"what\n with /* odd"\n{ x = 0; }\nP0 {\n st.weak [x], ${value};\n} // */\nexists (x == 1)`;
    expect(new BareText(described(1)).text).not.toBe(new BareText(described(2)).text);
    expect(new BareText('PTX A\n\nB\n{}').text).not.toBe(new BareText('PTX A\nB\n{}').text);
    // Neither is a blank or the end of a line to the grammar.
    for (const character of ['\u00a0', '\u2028', '\u3000'])
      expect(new BareText(`PTX A\n{}\nx;${character}\n`).text).toContain(character);
  });

  it('keeps a comment that does not end, and one with code behind it', () => {
    const text = 'a /* b\nc (* d *) e';
    expect(new BareText(text).text).toBe(text);
  });

  it('finds each character that is left where it was', () => {
    const pieces = fc.array(
      fc.constantFrom('ab', 'PTX', '{', ' ', '\n', '// c', '/* d */', '(* e\nf *)', '"g // h"', ';', '\t'),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const whole = list.join('');
        const bare = new BareText(whole);
        for (let at = 0; at < bare.text.length; at++) {
          const there = bare.wholeOffsetOf(at);
          if (bare.text[at] === '\n') continue;
          expect(whole[there]).toBe(bare.text[at]);
          expect(bare.offsetOf(there)).toBe(at);
        }
      }),
    );
  });
});
