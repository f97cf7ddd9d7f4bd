import { capitalized } from '../words/texts.ts'
import type { Resource } from './row.ts'

/** Members with a meaning for programs only. */
const HIDDEN: ReadonlySet<string> = new Set(['account', 'application', 'devAccount'])

/** `sha256Fingerprint` and `last_sent_at` as words: `Sha256 fingerprint`, `Last sent at`. */
export function labelOf(member: string): string {
  const words = member
    .replace(/_/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return capitalized(words)
}

/** A value as text; `undefined` for an absent or empty one. */
export function shownOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((each) => shownOf(each) ?? '').join(', ')
  const text = JSON.stringify(value)
  return text === '{}' ? undefined : text
}

/** All members of a resource that users read. */
export const membersOf = (resource: Resource): readonly (readonly [member: string, value: unknown])[] =>
  Object.entries(resource).filter(([member]) => !HIDDEN.has(member))
