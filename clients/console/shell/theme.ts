/** Light, dark, or the system's choice. The browser keeps it, and during a session the pages opened last. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEPT_AS = 'keymgr-theme'
const isTheme = (value: string | null): value is Theme => THEMES.some((theme) => theme === value)

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS)
  return isTheme(kept) ? kept : 'system'
}

/** Applies the selected theme to the page, through its style sheet. The event `keymgr-theme` informs charts. */
export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(KEPT_AS))
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEPT_AS, theme)
  applyTheme()
}

/** @param changed is called when colours change @returns a function that ends this */
export function watchTheme(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  window.addEventListener(KEPT_AS, changed)
  return () => {
    system.removeEventListener('change', changed)
    window.removeEventListener(KEPT_AS, changed)
  }
}
