/** The Luby sequence 1, 1, 2, 1, 1, 2, 4, … (Luby, Sinclair and Zuckerman 1993), from 1 on. */
export function luby(index: number): number {
  let power = 1;
  while (2 * power - 1 < index) power *= 2;
  return 2 * power - 1 === index ? power : luby(index - power + 1);
}
