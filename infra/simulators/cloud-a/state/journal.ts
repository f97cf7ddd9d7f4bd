import { isBufferJson, openJournal as open, type Journal } from '../../toolkit/journal.ts'
import { newKey, type HeldKey } from '../keys/keys.ts'
import type { HeldKeyStore } from '../key-stores/key-stores.ts'
import type { HeldTrust } from '../authentication/trust-anchors.ts'

export interface HeldAlias {
  readonly name: string
  readonly account: string
  readonly region: string
  /** Id of the alias's key. */
  readonly target: string
  /** In milliseconds, as `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Lines of the journal. Each contains a whole thing, so the last one counts. */
export type Entry =
  | { readonly kind: 'secret'; readonly secret: Buffer }
  | { readonly kind: 'wrapping-key'; readonly spec: string; readonly pkcs8: Buffer }
  | ({ readonly kind: 'trust-anchor' } & HeldTrust)
  | { readonly kind: 'key'; readonly key: HeldKey }
  | { readonly kind: 'alias'; readonly alias: HeldAlias }
  | { readonly kind: 'key-store'; readonly keyStore: HeldKeyStore }
  | { readonly kind: 'no-key'; readonly account: string; readonly region: string; readonly id: string }
  | { readonly kind: 'no-alias'; readonly account: string; readonly region: string; readonly name: string }
  | { readonly kind: 'no-key-store'; readonly account: string; readonly region: string; readonly id: string }

/** Members that are bytes, in base64. */
const BYTES = new Set(['secret', 'pkcs8', 'bytes'])

/** The same text for a thing and for its removal. */
function subjectOf(entry: Entry): string {
  const kind = entry.kind.replace(/^no-/, '')
  const subject: object =
    'key' in entry ? entry.key : 'alias' in entry ? entry.alias : 'keyStore' in entry ? entry.keyStore : entry
  const { account, region, id, name, spec } = subject as Readonly<Record<string, string | undefined>>
  return [kind, account, region, kind === 'alias' ? name : kind === 'wrapping-key' ? spec : id].join(' ')
}

/** Opens the journal of the simulator. It holds key material. */
export const openJournal = (file: string | undefined, take: (entry: Entry) => void): Journal<Entry> =>
  open(
    file,
    {
      subjectOf,
      isRemoval: ({ kind }) => kind.startsWith('no-'),
      replace: (name, value) => {
        if (name === 'aliases') return undefined // stored as separate entries
        if (value instanceof Map) return [...(value as Map<unknown, unknown>)]
        return isBufferJson(value) ? Buffer.from(value.data).toString('base64') : value
      },
      revive: (name, value) => {
        if (name === 'tags' || name === 'grants') return new Map(value as [string, unknown][])
        return BYTES.has(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value
      },
    },
    (entry) => take(entry.kind === 'key' ? { kind: 'key', key: newKey(entry.key) } : entry),
  )
