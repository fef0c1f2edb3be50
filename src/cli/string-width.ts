import { stripVTControlCharacters } from 'node:util';

/**
 * How many columns a text takes. The bundle has this in the place of the package string-width, which yargs lays out its
 * help with: that one knows of every script and emoji, takes a sixth of the time of a short command to load, and our
 * help is ASCII.
 */
export default function stringWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
