/** Tells whether the system wishes dark pages: now, and whenever it changes its mind. */
export function followSystemTheme(apply: (dark: boolean) => void): void {
  const wish = matchMedia('(prefers-color-scheme: dark)');
  wish.addEventListener('change', () => apply(wish.matches));
  apply(wish.matches);
}
