import { atOnce } from '../../base/at-once.ts'
import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Member, Stored } from '../../store/entity.ts'
import { damagedIn } from '../../store/salvage.ts'
import { writeTogether } from '../../store/write-together.ts'
import { isFinal, isGivenUp, isUnanswered } from '../../base/attempts.ts'
import type { Lease } from '../../store/lease.ts'
import { advanced } from '../engine/turn.ts'
import type { BackUp } from './backups.ts'
import { apart, described, replaced, withoutDigest, type DamagedRecord } from './damaged.ts'
import { ERRORS_MOST } from './model.ts'
import type { StoredSynchronizationPart } from './store.ts'
import { defined, without } from '../../base/fields.ts'
import type { AnySynchronized, OpenPlace, Survey } from './synchronized.ts'

const KEYS_A_PAGE = 100
/**
 * Ours: keys of one place that are read in parallel, with a few calls each; more would be throttled sooner, not read
 * faster.
 */
const KEYS_AT_ONCE = 5
/** Ours: keys between two records of the progress: a stop repeats at most these. */
const KEYS_BETWEEN_NOTES = 5_000

type Counters = Pick<StoredSynchronizationPart, 'added' | 'updated' | 'gone' | 'errors'>

/** The outcome of reading one key; an error text if it could not be read. */
type Outcome<R> = { readonly result: R } | { readonly error: string }
const isRead = <R>(outcome: Outcome<R>): outcome is { readonly result: R } => 'result' in outcome

/** A record before and after a reading of its key. */
interface Fresh {
  readonly before: Stored<unknown>
  readonly after: unknown
  readonly outcome: Outcome<unknown>
}

/** Some of the keys on record. */
interface Page {
  readonly members: readonly Member[]
  /** none where digests are compared first */
  readonly records: readonly Stored<unknown>[]
  /** their references */
  readonly refs: readonly string[]
  /** where the next page begins; `undefined` for the last one */
  readonly last: string | undefined
}

type Read = Survey<unknown>['read']

/** Reads one place under a lease. */
export class Reading {
  readonly #domain: string
  readonly #now: Date
  readonly #cloud: AnySynchronized
  readonly #place: OpenPlace<unknown, unknown>
  readonly #lease: Lease<StoredSynchronizationPart>
  readonly #backUp: BackUp | undefined
  #keysSinceNote = 0
  /** References of keys on record that this turn has seen, of a place that was listed whole. */
  readonly #seen = new Set<string>()
  /** The next page of records, prefetched while the cloud describes the keys of the page before. */
  #ahead: { readonly after: string; readonly page: Promise<Page> } | undefined

  constructor(
    domain: string,
    now: Date,
    cloud: AnySynchronized,
    place: OpenPlace<unknown, unknown>,
    lease: Lease<StoredSynchronizationPart>,
    backUp: BackUp | undefined,
  ) {
    this.#domain = domain
    this.#now = now
    this.#cloud = cloud
    this.#place = place
    this.#lease = lease
    this.#backUp = backUp
  }

  get #part(): StoredSynchronizationPart {
    return this.#lease.item
  }

  get #family(): string {
    return this.#cloud.family(this.#part.container, this.#part.region)
  }

  /**
   * Reads one page of the present phase.
   * @param hasTime whether there is time for more of it
   * @throws Refusal, which fails the place: its container is deleted, archived, or has lost the region
   */
  async page(hasTime: () => boolean): Promise<void> {
    await this.#cloud.assertThere(this.#domain, this.#part.container, this.#part.region)
    const { phase } = this.#part
    if (phase === 'known') await this.#known()
    else if (phase === 'backing_up' && this.#backUp) await this.#backingUp(this.#backUp)
    else await this.#listing(hasTime)
    if (this.#keysSinceNote < KEYS_BETWEEN_NOTES) return
    await this.#lease.write()
    this.#keysSinceNote = 0
  }

  /** The digests of a page are compared before its records are read. */
  get #digestOf(): OpenPlace<unknown, unknown>['digestOf'] {
    return this.#part.phase === 'known' ? this.#place.digestOf : undefined
  }

  /** One read for each 100 keys. */
  #recordsOf(members: readonly Member[]): Promise<Stored<unknown>[]> {
    const ids = members.map(({ id }) => id)
    return this.#cloud.entity.getMany(this.#domain, ids, 'salvage')
  }

  /** One read, and one for each 100 records. */
  async #pageAfter(cursor: string | undefined): Promise<Page> {
    const { keysAPage = KEYS_A_PAGE } = this.#place
    const members = await this.#cloud.entity.membersAfter(this.#domain, this.#family, cursor, keysAPage)
    const records = this.#digestOf === undefined ? await this.#recordsOf(members) : []
    const refs = members.map(({ key }) => key)
    return { members, records, refs, last: members.length < keysAPage ? undefined : refs.at(-1) }
  }

  /**
   * The page of records at the cursor. If a record changes after this read, its revision differs and that writer wins.
   */
  async #page(): Promise<Page> {
    const { cursor } = this.#part
    const ahead = this.#ahead
    const page = await (ahead !== undefined && ahead.after === cursor ? ahead.page : this.#pageAfter(cursor))
    this.#ahead = page.last === undefined ? undefined : { after: page.last, page: this.#pageAfter(page.last) }
    this.#ahead?.page.catch(() => undefined) // the reader of that page gets the error
    return page
  }

  /** Reads the keys on record again. */
  async #known(): Promise<void> {
    const { entity } = this.#cloud
    const page = await this.#page()
    const { refs, last } = page
    if (this.#place.survey.refs !== undefined) for (const ref of refs) this.#seen.add(ref)
    const { records, read } = await this.#toCompare(page)
    const { whole, damaged } = apart(records)
    const fresh = await atOnce(whole, KEYS_AT_ONCE, (before) => this.#again(before, read))
    const mended = await atOnce(damaged, 1, (before) => this.#mended(before, page.members, read))
    const errors = await this.#errorsOf([...fresh, ...mended].map(({ outcome }) => outcome))
    const changed = fresh.filter(({ before, after }) => after !== before.item)
    const written = await writeTogether(changed, this.#now, (changes, { before, after }) => {
      changes.update(entity, this.#domain, before, after)
      this.#place.changed?.(changes, before.item, after, this.#now)
    })
    const refreshed = [...written, ...mended].filter(({ outcome }) => isRead(outcome))
    const gone = refreshed.filter(({ after }) => this.#cloud.isGone(after)).length
    this.#count({ gone, updated: refreshed.length - gone, errors, keys: refs.length })
    await this.#beside([...fresh, ...mended].filter(({ outcome }) => isRead(outcome)).map(({ after }) => after))
    this.#moveOn(last === undefined ? { phase: 'listing' } : { phase: 'known', cursor: last })
  }

  /**
   * The records of a page to compare with the cloud's descriptions: all records, or those whose digest differs. In the
   * second case the descriptions were already read; a key without one is read again, with its record.
   */
  async #toCompare({ members, records }: Page): Promise<{ records: readonly Stored<unknown>[]; read: Read }> {
    const { survey } = this.#place
    const digestOf = this.#digestOf
    if (digestOf === undefined) return { records, read: (ref, known) => survey.read(ref, known) }
    const described = new Map<string, unknown>()
    const withDigest = members.filter(({ digest }) => digest !== undefined)
    await atOnce(withDigest, KEYS_AT_ONCE, async ({ key }) => {
      try {
        described.set(key, await survey.read(key))
      } catch (error) {
        if (!this.#isLasting(error)) throw error
      }
    })
    const isRecorded = ({ key, digest }: Member): boolean => {
      const read = described.get(key)
      return read !== undefined && digestOf(read) === digest
    }
    return {
      records: await this.#recordsOf(members.filter((member) => !isRecorded(member))),
      read: (ref, known) => (described.has(ref) ? Promise.resolve(described.get(ref)) : survey.read(ref, known)),
    }
  }

  /** Reads a recorded key again. */
  async #again(before: Stored<unknown>, read: Read): Promise<Fresh> {
    const ref = this.#cloud.refOf(before.item)
    const outcome = await this.#ofKey(ref, async () =>
      this.#place.refreshed(before.item, await read(ref, before.item), this.#now),
    )
    const after: unknown = isRead(outcome) ? outcome.result : this.#cloud.unread(before.item, this.#now)
    return { before, after, outcome }
  }

  /**
   * Replaces a record that breaks its schema by the cloud's description. Otherwise it stays as it is, is named in the
   * job, and loses its digest, so that every job names it.
   */
  async #mended(before: DamagedRecord, members: readonly Member[], read: Read): Promise<Fresh> {
    const { id } = before.damage
    const { key = '', digest } = members.find((member) => member.id === id) ?? {}
    const at = { domain: this.#domain, cloud: this.#cloud, place: this.#place, now: this.#now }
    try {
      const after = await described(at, before.damage, await read(key))
      await replaced(at, before, after)
      return { before, after, outcome: { result: after } }
    } catch (error) {
      log('error', 'a damaged record could not be replaced', { part: this.#part.id, key: id, ...errorFields(error) })
      if (digest !== undefined) await withoutDigest(at, { name: this.#family, key }, id)
      return { before, after: before.item, outcome: { error: `its record ${damagedIn(before.damage)}` } }
    }
  }

  /** Reads keys without a record that the cloud reported while known ones were read. */
  async #beside(records: readonly unknown[]): Promise<void> {
    const refs = records.map((record) => this.#cloud.refOf(record))
    const own = new Set(refs)
    const others = (await this.#place.beside?.(refs))?.filter((ref) => !own.has(ref)) ?? []
    if (others.length === 0) return
    const known = await this.#cloud.entity.membersBy(this.#domain, this.#family, others)
    const unknown = others.filter((ref) => !known.has(ref))
    for (let at = 0; at < unknown.length; at += KEYS_A_PAGE) await this.#create(unknown.slice(at, at + KEYS_A_PAGE))
  }

  /** Reads keys of the cloud's list that have no record. */
  async #listing(hasTime: () => boolean): Promise<void> {
    const { refs, next } = await this.#refs()
    const unseen = refs.filter((ref) => !this.#seen.has(ref))
    const known = await this.#cloud.entity.membersBy(this.#domain, this.#family, unseen)
    const unknown = unseen.filter((ref) => !known.has(ref))
    for (let at = 0; at < unknown.length; at += KEYS_A_PAGE) {
      if (at > 0 && !hasTime()) return // the same page is read again, and most of it is on record by then
      await this.#create(unknown.slice(at, at + KEYS_A_PAGE))
    }
    this.#count({ keys: refs.length - unknown.length })
    if (next === undefined) await this.#others()
    const last = this.#backUp === undefined ? 'done' : 'backing_up'
    this.#moveOn(next === undefined ? { phase: last } : { phase: 'listing', cursor: next })
  }

  /** Ours: a refusal is an error of the job, and leaves the keys as they were read. */
  async #others(): Promise<void> {
    const { others } = this.#place
    if (others === undefined) return
    const outcome = await this.#ofKey(others.noun, () => others.synchronize(this.#now))
    this.#count({ errors: isRead(outcome) ? [] : [outcome.error], keys: 0 })
  }

  /** Takes backups of a page of keys on record. A repeated page skips those that it has. */
  async #backingUp(backUp: BackUp): Promise<void> {
    const { records, refs, last } = await this.#page()
    const whole = records.filter(({ damage }) => damage === undefined)
    const taken = await atOnce(whole, KEYS_AT_ONCE, ({ item }) =>
      this.#ofKey(this.#cloud.refOf(item), () => backUp(item)),
    )
    const errors = taken.flatMap((one) => (isRead(one) ? [] : [`no backup of ${one.error}`]))
    const backups = taken.filter((one) => isRead(one) && one.result).length
    this.#lease.set((part) => ({
      ...part,
      backups: part.backups + backups,
      not_backed_up: part.not_backed_up + errors.length,
      errors: [...part.errors, ...errors].slice(0, ERRORS_MOST),
    }))
    this.#count({ keys: refs.length })
    this.#moveOn(last === undefined ? { phase: 'done' } : { phase: 'backing_up', cursor: last })
  }

  /** Reads keys that have no record, and records them. */
  async #create(refs: readonly string[]): Promise<void> {
    const found = await atOnce(refs, KEYS_AT_ONCE, (ref) =>
      this.#ofKey(ref, async () => {
        const read = await this.#place.survey.read(ref)
        const record = read === undefined ? undefined : await this.#place.found(read, this.#now)
        return record === undefined ? undefined : { record, read }
      }),
    )
    const errors = await this.#errorsOf(found)
    const records = found.flatMap((one) => (isRead(one) && one.result !== undefined ? [one.result] : []))
    const written = await writeTogether(records, this.#now, (changes, { record }) =>
      changes.create(this.#cloud.entity, this.#domain, record),
    )
    await atOnce(written, KEYS_AT_ONCE, async ({ record, read }) => this.#place.recorded?.(record, read, this.#now))
    this.#count({ added: written.length, errors, keys: found.length })
  }

  /**
   * Reads one key. Ours: a refusal concerns only that key, and so does a repeated failure, unless the whole place is
   * failing (`#errorsOf`).
   */
  async #ofKey<R>(ref: string, work: () => Promise<R>): Promise<Outcome<R>> {
    try {
      return { result: await work() }
    } catch (error) {
      if (!this.#isLasting(error)) throw error
      log('warn', 'a key could not be read', { part: this.#part.id, key: ref, ...errorFields(error) })
      return { error: `${ref}: ${error.message}` }
    }
  }

  /** Whether a failure concerns a key for as long as this job runs. */
  #isLasting(error: unknown): error is Error {
    return isFinal(error) || (isUnanswered(error) && isGivenUp('unreadKey', this.#part.failures - 1))
  }

  /** The errors of a page's unreadable keys. @throws Refusal, which fails the place, if its keys cannot be listed */
  async #errorsOf(outcomes: readonly Outcome<unknown>[]): Promise<string[]> {
    const errors = outcomes.flatMap((one) => (isRead(one) ? [] : [one.error]))
    if (errors.length > 0) await this.#place.refs(undefined)
    return errors
  }

  /** The cloud's list, unless the survey has it. If the cloud no longer knows the cursor, its list starts again. */
  async #refs(): ReturnType<OpenPlace<unknown, unknown>['refs']> {
    const { refs } = this.#place.survey
    if (refs !== undefined) return { refs }
    const { cursor } = this.#part
    try {
      return await this.#place.refs(cursor)
    } catch (error) {
      if (cursor === undefined || !(error instanceof Refusal) || error.reason !== 'CLOUD_INVALID') throw error
      return this.#place.refs(undefined)
    }
  }

  #count({ added = 0, updated = 0, gone = 0, errors = [], keys }: Partial<Counters> & { readonly keys: number }): void {
    this.#lease.set((part) =>
      advanced({
        ...part,
        added: part.added + added,
        updated: part.updated + updated,
        gone: part.gone + gone,
        unread: part.unread + errors.length,
        errors: [...part.errors, ...errors].slice(0, ERRORS_MOST),
      }),
    )
    this.#keysSinceNote += keys
  }

  #moveOn({
    phase,
    cursor,
  }: Pick<StoredSynchronizationPart, 'phase'> & { readonly cursor?: string | undefined }): void {
    this.#lease.set((part) => ({ ...without(part, 'cursor'), phase, ...defined({ cursor }) }))
  }
}
