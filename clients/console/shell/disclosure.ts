/** Closes a disclosure on Escape, or on a click elsewhere. @returns a function that ends this */
export function closesOutside(menu: HTMLDetailsElement | null): () => void {
  const close = (event: Event): void => {
    if (menu?.open !== true) return
    if (event instanceof KeyboardEvent && event.key === 'Escape') {
      menu.open = false
      menu.querySelector('summary')?.focus()
    } else if (event.type === 'click' && event.target instanceof Node && !menu.contains(event.target)) menu.open = false
  }
  document.addEventListener('keydown', close)
  document.addEventListener('click', close)
  return () => {
    document.removeEventListener('keydown', close)
    document.removeEventListener('click', close)
  }
}
