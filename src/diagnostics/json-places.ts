/** Where the members and elements of a JSON text stand: offsets by their paths, such as `/allow/0/reason`. */
export function placesInJson(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const open: { readonly path: string; at: number; readonly isList: boolean }[] = [];
  let key: string | undefined;
  const begin = (offset: number): string => {
    const around = open.at(-1);
    const path = around === undefined ? '' : `${around.path}/${around.isList ? around.at : (key ?? '')}`;
    // Of a member it is its name that is looked for.
    if (!places.has(path)) places.set(path, offset);
    return path;
  };
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const around = open.at(-1);
    if (token === '{' || token === '[') {
      open.push({ path: begin(index), at: 0, isList: token === '[' });
      key = undefined;
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (around !== undefined) around.at += 1;
      key = undefined;
    } else if (token !== ':') {
      if (around !== undefined && !around.isList && key === undefined) key = nameIn(token);
      begin(index);
    }
  }
  return places;
}

/** A name with escapes that JSON does not have is found nowhere. */
function nameIn(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
