/** What the system says of a file, in words: `cannot open g: it is a folder`; undefined for another error. */
export function fileProblem(thrown: unknown): string | undefined {
  if (!isFileError(thrown)) return undefined;
  const why = FILE_PROBLEMS[thrown.code] ?? thrown.message;
  const what = ATTEMPTS[thrown.syscall] ?? 'open';
  return thrown.path === undefined ? `cannot ${what} a file: ${why}` : `cannot ${what} ${thrown.path}: ${why}`;
}

interface FileError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

function isFileError(thrown: unknown): thrown is FileError {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    'syscall' in thrown &&
    typeof thrown.syscall === 'string'
  );
}

const ATTEMPTS: Readonly<Record<string, string>> = {
  mkdir: 'make the folder',
  scandir: 'read the folder',
  write: 'write',
  read: 'read',
};

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'there is a file of that name',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'it is no file that can be read',
};
