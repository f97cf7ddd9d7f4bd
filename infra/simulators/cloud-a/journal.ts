import * as fs from 'node:fs'
import type { HeldKey, Material } from './keys.ts'
import { newKey } from './keys.ts'
import type { HeldKeyStore } from './key-stores.ts'

export interface HeldAlias {
  readonly name: string
  readonly account: string
  readonly region: string
  /** Id of the key it points to. */
  readonly target: string
  /** In milliseconds, as `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** What may be written down: each line is the whole of what it is about, so the last one of a thing wins. */
export type Entry =
  | { readonly kind: 'secret'; readonly secret: Buffer }
  | { readonly kind: 'wrapping-key'; readonly spec: string; readonly pkcs8: Buffer }
  | { readonly kind: 'key'; readonly key: HeldKey }
  | { readonly kind: 'alias'; readonly alias: HeldAlias }
  | { readonly kind: 'key-store'; readonly keyStore: HeldKeyStore }
  | { readonly kind: 'no-key'; readonly account: string; readonly region: string; readonly id: string }
  | { readonly kind: 'no-alias'; readonly account: string; readonly region: string; readonly name: string }
  | { readonly kind: 'no-key-store'; readonly account: string; readonly region: string; readonly id: string }

export interface Journal {
  /** On disk, as far as the process is concerned, when it returns: a killed process loses nothing. */
  readonly write: (entries: readonly Entry[]) => void
  readonly close: () => void
}

const LINES_AT_ONCE = 5_000

/** Writes nothing down. */
export const noJournal: Journal = { write: () => undefined, close: () => undefined }

/**
 * Opens the journal of a simulator: JSON lines, only its owner may read them, for they hold key material. Reads what is
 * there, drops what later lines made void, and goes on from the shortened file.
 * @param take receives the entries that still hold
 */
export function openJournal(file: string, take: (entry: Entry) => void): Journal {
  const entries = [...lastEntries(file).values()]
  const fresh = `${file}.new`
  const descriptor = fs.openSync(fresh, 'w', 0o600)
  write(descriptor, entries)
  fs.renameSync(fresh, file)
  entries.forEach(take)
  return { write: (more) => write(descriptor, more), close: () => fs.closeSync(descriptor) }
}

function write(descriptor: number, entries: readonly Entry[]): void {
  for (let start = 0; start < entries.length; start += LINES_AT_ONCE) {
    const lines = entries.slice(start, start + LINES_AT_ONCE).map((entry) => `${JSON.stringify(stored(entry))}\n`)
    fs.writeSync(descriptor, lines.join(''))
  }
}

function lastEntries(file: string): Map<string, Entry> {
  const last = new Map<string, Entry>()
  if (!fs.existsSync(file)) return last
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const entry = parse(line)
    if (entry === undefined) continue
    if (entry.kind.startsWith('no-')) last.delete(subjectOf(entry))
    else last.set(subjectOf(entry), entry)
  }
  return last
}

function subjectOf(entry: Entry): string {
  switch (entry.kind) {
    case 'secret':
      return 'secret'
    case 'wrapping-key':
      return `wrapping-key ${entry.spec}`
    case 'key':
      return `key ${entry.key.account} ${entry.key.region} ${entry.key.id}`
    case 'no-key':
      return `key ${entry.account} ${entry.region} ${entry.id}`
    case 'alias':
      return `alias ${entry.alias.account} ${entry.alias.region} ${entry.alias.name}`
    case 'no-alias':
      return `alias ${entry.account} ${entry.region} ${entry.name}`
    case 'key-store':
      return `key-store ${entry.keyStore.account} ${entry.keyStore.region} ${entry.keyStore.id}`
    case 'no-key-store':
      return `key-store ${entry.account} ${entry.region} ${entry.id}`
  }
}

type StoredMaterial = Omit<Material, 'bytes'> & { readonly bytes?: string }
type StoredKey = Omit<HeldKey, 'tags' | 'aliases' | 'materials'> & {
  readonly tags: [string, string][]
  readonly materials: StoredMaterial[]
}
type StoredEntry =
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'wrapping-key'; readonly spec: string; readonly pkcs8: string }
  | { readonly kind: 'key'; readonly key: StoredKey }
  | Extract<Entry, { kind: 'alias' | 'key-store' | 'no-key' | 'no-alias' | 'no-key-store' }>

function stored(entry: Entry): StoredEntry {
  if (entry.kind === 'secret') return { ...entry, secret: entry.secret.toString('base64') }
  if (entry.kind === 'wrapping-key') return { ...entry, pkcs8: entry.pkcs8.toString('base64') }
  if (entry.kind !== 'key') return entry
  const { aliases: _, tags, materials, ...rest } = entry.key
  const key = { ...rest, tags: [...tags], materials: materials.map(storedMaterial) }
  return { kind: 'key', key }
}

const storedMaterial = ({ bytes, ...rest }: Material): StoredMaterial =>
  bytes === undefined ? rest : { ...rest, bytes: bytes.toString('base64') }

/** @returns `undefined` for the empty line at the end and for one that a kill cut short */
function parse(line: string): Entry | undefined {
  let entry: StoredEntry
  try {
    entry = JSON.parse(line) as StoredEntry
  } catch {
    return undefined
  }
  if (entry.kind === 'secret') return { ...entry, secret: Buffer.from(entry.secret, 'base64') }
  if (entry.kind === 'wrapping-key') return { ...entry, pkcs8: Buffer.from(entry.pkcs8, 'base64') }
  if (entry.kind !== 'key') return entry
  const { tags, materials, ...rest } = entry.key
  const key = newKey({ ...rest, tags: new Map(tags), materials: materials.map(materialFrom) })
  return { kind: 'key', key }
}

const materialFrom = ({ bytes, ...rest }: StoredMaterial): Material => ({
  ...rest,
  bytes: bytes === undefined ? undefined : Buffer.from(bytes, 'base64'),
})
