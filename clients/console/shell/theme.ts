/** Light, dark, or as the system says. The choice is the only thing that the console keeps in the browser. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEPT_AS = 'keymgr-theme'
const isTheme = (value: string | null): value is Theme => THEMES.some((theme) => theme === value)

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS)
  return isTheme(kept) ? kept : 'system'
}

/** Sets the chosen theme on the page: its style sheet does the rest. Charts are told by the event `keymgr-theme`. */
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

/** @param changed is called when colours change @returns ends it */
export function watchTheme(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  window.addEventListener(KEPT_AS, changed)
  return () => {
    system.removeEventListener('change', changed)
    window.removeEventListener(KEPT_AS, changed)
  }
}
