const KEY = 'ptx-litmus theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

const chosen = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

/** Light or dark as the reader has chosen, or else as the system has it. */
export function byTheme(): void {
  document.documentElement.dataset['theme'] = chosen() ?? (dark.matches ? 'dark' : 'light');
}

/** A button that changes it. */
export function startTheme(button: HTMLElement): void {
  dark.addEventListener('change', byTheme);
  button.addEventListener('click', () => {
    const next = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Then it is so until the page is left.
    }
    document.documentElement.dataset['theme'] = next;
  });
}
