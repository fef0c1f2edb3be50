/** A number as PTX and conditions read it: with a decimal point, also before an exponent. */
export function printDecimal(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : text.replace(/(?=e|$)/, '.0');
}
