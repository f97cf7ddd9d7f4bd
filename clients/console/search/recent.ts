import type { Hit } from './rank.ts'

const KEPT_AS = 'keymgr-recent'
const MOST = 20

const isHit = (value: unknown): value is Hit =>
  typeof value === 'object' && value !== null && 'href' in value && 'title' in value && 'detail' in value

/** The pages that were opened last, newest first. */
export function recentPages(): readonly Hit[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isHit) : []
  } catch {
    return [] // another program wrote it
  }
}

/** Remembers an opened page. Only its title and its address are kept, until the session ends. */
export function remember(page: Hit): void {
  const others = recentPages().filter(({ href }) => href !== page.href)
  localStorage.setItem(KEPT_AS, JSON.stringify([page, ...others].slice(0, MOST)))
}

export const forgetRecent = (): void => localStorage.removeItem(KEPT_AS)
