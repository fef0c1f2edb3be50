/** A mistake of the user that no file contains, such as an option that does not exist. */
export class UsageError extends Error {}

/** The same: a path at which there is nothing. */
export class NoSuchFile extends UsageError {
  constructor(readonly path: string) {
    super(`no file or folder ${path}`);
  }
}
