import { atOnce } from '../../base/at-once.ts'
import { isFinal } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import type { Entry, EntryPage, OpenContainer } from '../../work/report/reported.ts'
import type { ReportContainer } from '../../work/report/store.ts'
import { synchronizedCloud } from '../../work/synchronize/clouds.ts'
import type { AnySynchronized, OpenPlace } from '../../work/synchronize/synchronized.ts'
import { aboutKey, type KeysOfPlace, type ReportedKey } from './reported-keys.ts'

const KEYS_A_PAGE = 100
/** Ours: as many as a synchronization reads in parallel. */
const KEYS_AT_ONCE = 5

/** The result of comparing a record with the cloud: the `key_activity` of its row. */
type Comparison = 'Agrees' | 'Differs' | 'Missing at the cloud' | 'Not on record' | 'Unreadable'

interface Compared {
  readonly is: Comparison
  readonly error?: string
}

/** The cursors of the two phases: keys on record, then the cloud's list. */
const PHASES = { known: 'known:', listed: 'listed:' } as const

/** A key that cannot be read is reported alone; a failure that may pass is tried again with its page. */
async function readable(work: () => Promise<Compared | undefined>): Promise<Compared | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isFinal(error)) throw error
    return { is: 'Unreadable', error: error instanceof Refusal ? error.reason : 'FAULT' }
  }
}

class PlaceComparison<K extends ReportedKey, R> implements OpenContainer {
  readonly #keys: KeysOfPlace<K, R>
  readonly #cloud: AnySynchronized
  readonly #place: OpenPlace<unknown, K>
  readonly #now: Date

  constructor(keys: KeysOfPlace<K, R>, cloud: AnySynchronized, place: OpenPlace<unknown, K>, now: Date) {
    this.#keys = keys
    this.#cloud = cloud
    this.#place = place
    this.#now = now
  }

  page(cursor: string = PHASES.known): Promise<EntryPage> {
    return cursor.startsWith(PHASES.known)
      ? this.#known(cursor.slice(PHASES.known.length) || undefined)
      : this.#listed(cursor.slice(PHASES.listed.length) || undefined)
  }

  async #known(after: string | undefined): Promise<EntryPage> {
    const { keys, domain, family } = this.#keys
    const members = await keys.membersAfter(domain, family, after, KEYS_A_PAGE)
    const ids = members.map(({ id }) => id)
    const records = (await keys.getMany(domain, ids, 'leave out')).map(({ item }) => item)
    const entries = await atOnce(records, KEYS_AT_ONCE, async (record) => {
      const compared = await readable(() => this.#compared(record))
      return compared === undefined ? [] : [this.#entry(this.#refOf(record), record, compared)]
    })
    const others = await this.#beside(records)
    const last = members.length < KEYS_A_PAGE ? undefined : members.at(-1)?.key
    const next = last === undefined ? PHASES.listed : `${PHASES.known}${last}`
    return { entries: [...entries.flat(), ...others], next }
  }

  /** @returns `undefined` for a key that neither the cloud nor, as present, the record has */
  async #compared(record: K): Promise<Compared | undefined> {
    const read = await this.#place.survey.read(this.#refOf(record), record)
    if (read === undefined && this.#cloud.isGone(record)) return undefined
    if (this.#place.isAsRead !== undefined) {
      if (read === undefined) return { is: 'Missing at the cloud' }
      return { is: this.#place.isAsRead(record, read) ? 'Agrees' : 'Differs' }
    }
    const after = await this.#place.refreshed(record, read, this.#now)
    if (after === record) return { is: 'Agrees' }
    return { is: this.#cloud.isGone(after) ? 'Missing at the cloud' : 'Differs' }
  }

  /** Keys without a record that the cloud reported while known ones were read. */
  async #beside(records: readonly K[]): Promise<Entry[]> {
    const refs = (await this.#place.beside?.(records.map((record) => this.#refOf(record)))) ?? []
    return this.#unknown(refs)
  }

  async #listed(cursor: string | undefined): Promise<EntryPage> {
    const { refs, next } = await this.#place.refs(cursor)
    return { entries: await this.#unknown(refs), next: next === undefined ? undefined : `${PHASES.listed}${next}` }
  }

  /** Entries for the refs without a record. A key that this service is about to record has none yet. */
  async #unknown(refs: readonly string[]): Promise<Entry[]> {
    const { keys, domain, family } = this.#keys
    const known = await keys.membersBy(domain, family, refs)
    const unknown = refs.filter((ref) => !known.has(ref))
    const entries = await atOnce(unknown, KEYS_AT_ONCE, async (ref) => {
      const compared = await readable(async () => {
        const read = await this.#place.survey.read(ref)
        return read === undefined ? undefined : { is: 'Not on record' as const }
      })
      return compared === undefined ? [] : [this.#entry(ref, undefined, compared)]
    })
    return entries.flat()
  }

  #refOf(record: K): string {
    return this.#cloud.refOf(record)
  }

  #entry(ref: string, record: K | undefined, { is, error }: Compared): Entry {
    return {
      id: ref,
      row: {
        ...aboutKey(this.#keys, ref, record),
        key_activity: is,
        modified_time: this.#now.toISOString(),
        user_name: '',
        keymgr_operation: record?.key_material_origin === 'keymgr',
        ...(error !== undefined && { error_code: error }),
      },
    }
  }
}

/**
 * The records of a place compared with the cloud as it is now: keys on record, then keys of the cloud's list without a
 * record. Keys are read as by a synchronization; no record of a key changes.
 */
export async function comparisonOf<K extends ReportedKey, R>(
  keys: KeysOfPlace<K, R>,
  cloudName: string,
  { id, place: region }: ReportContainer,
  when: { readonly now: Date; readonly budget: AbortSignal },
): Promise<OpenContainer> {
  const cloud = await synchronizedCloud(cloudName)
  const place = (await cloud.open(keys.domain, id, region, { ...when, begun: when.now })) as OpenPlace<unknown, K> // the row's own records
  return new PlaceComparison(keys, cloud, place, when.now)
}
