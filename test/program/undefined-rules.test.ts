import { describe, expect, it } from 'vitest';
import { ruleSentence, UNDEFINED_RULES } from '../../src/program/undefined-rules.js';
import { builtInModel } from '../support.js';

describe('the rules of undefined behavior', () => {
  it('have a sentence for each condition of definedness of our models', () => {
    const names = ['ptx-9.4', 'ptx-7.5', 'ptx-6.0', 'sc'].flatMap((model) =>
      builtInModel(model).checks.flatMap(({ role, name }) => (role === 'undefined_unless' ? [name] : [])),
    );
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !Object.hasOwn(UNDEFINED_RULES, name))).toEqual([]);
  });

  it('say something different each', () => {
    const sentences = Object.values(UNDEFINED_RULES);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('leave the name of a check of another model as it is', () => {
    expect(ruleSentence('my-rule')).toBe('my-rule');
    expect(ruleSentence('toString')).toBe('toString');
  });
});
