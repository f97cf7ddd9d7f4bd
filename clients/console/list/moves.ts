/** The row that a key press leads to; `undefined` for other keys. @param pageRows number of visible rows */
export function moved(key: string, active: number, total: number, pageRows: number): number | undefined {
  const within = (index: number): number => Math.min(total - 1, Math.max(0, index))
  switch (key) {
    case 'ArrowDown':
      return within(active + 1)
    case 'ArrowUp':
      return within(active - 1)
    case 'PageDown':
      return within(active + Math.max(1, pageRows))
    case 'PageUp':
      return within(active - Math.max(1, pageRows))
    case 'Home':
      return 0
    case 'End':
      return within(total - 1)
    default:
      return undefined
  }
}
