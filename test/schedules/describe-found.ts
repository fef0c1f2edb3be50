import type { Found } from './run.js';

/** What was found, a line each. */
export function describeFound(found: Found): string {
  const { races, raceNotes, deadlocks, traps, bounds, undefined: rules, undefinedAt, waiting, finals } = found;
  const lines = [
    ...[...races].map(([key, count]) => `  race ${key} (${raceNotes.get(key)}): ${count}`),
    ...(deadlocks > 0 ? [`  deadlock at ${[...waiting].join(', ')}: ${deadlocks}`] : []),
    ...(traps > 0 ? [`  trap: ${traps}`] : []),
    ...(bounds > 0 ? [`  no end in sight: ${bounds}`] : []),
    ...[...rules].map(([rule, count]) => `  undefined, ${rule} at ${undefinedAt.get(rule)}: ${count}`),
    ...(found.unsupported === undefined ? [] : [`  unsupported: ${found.unsupported}`]),
    `  ${finals.length} final memories of ${found.schedules} runs`,
    ...(finals.length < 4 ? finals.map((final) => `    ${final}`) : []),
  ];
  return lines.join('\n');
}
