import { OPEN_CHOICES } from '../check/open-choices.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';

/** The values that `--variant` chooses, as `choice=value`. */
export function chosenVariants(variants: readonly string[]): ReadonlySet<string> {
  const known = OPEN_CHOICES.flatMap(({ name, values }) => values.map((value) => `${name}=${value}`));
  const chosen = new Map<string, string>();
  for (const variant of variants) {
    if (!known.includes(variant))
      throw new UsageError(
        `no variant ${variant}${didYouMean(variant, known)?.replace(/^/, ': ') ?? `: there are ${known.join(', ')}`}`,
      );
    const name = variant.replace(/=.*$/, '');
    if (chosen.has(name) && chosen.get(name) !== variant)
      throw new UsageError(`--variant ${chosen.get(name)} and --variant ${variant} contradict each other`);
    chosen.set(name, variant);
  }
  return new Set(chosen.values());
}
