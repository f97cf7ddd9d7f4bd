import { atOnce } from '../../../base/at-once.ts'
import { isFinal } from '../../../base/attempts.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { singly } from '../../../http/decisions.ts'
import { contextOnBehalf, initiatorOf, recordOnBehalf, type OnBehalf } from '../../../http/on-behalf.ts'
import { patternTest } from '../../../http/lists/patterns.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import type { AddContainersParams } from '../configs/params.ts'
import type { Discovered, FoundContainer, Search } from './discovered.ts'
import { ERRORS_SHOWN } from '../runs/counts.ts'
import type { Discovery } from '../runs/model.ts'
import type { StoredSubJob } from '../runs/store.ts'

/** Ours: the work of one step; the next step continues. */
const STEP_MS = 40_000
/** Ours: containers that are added concurrently. */
const ADDED_AT_ONCE = 4
/** Ours: temporary refusals in a row after which the cloud counts as down, and the step ends. */
const PASSING_MOST = 3
const NAMES_SHOWN = 100
const NAME_CHARACTERS = 255
const ERROR_CHARACTERS = 300

export const NOTHING_FOUND: Discovery = {
  found_count: 0,
  known_count: 0,
  added_count: 0,
  refused_count: 0,
  names: [],
  errors: [],
}

export interface SearchOf {
  readonly context: Context
  readonly row: Discovered
  readonly search: Search
  readonly params: AddContainersParams
  /** name of the run, for audit records */
  readonly job: string
}

/** The result for one container: an error if it was refused. */
type Outcome = 'known' | 'new' | 'added' | { readonly error: string }

/** A text of the cloud, shortened so that a record can contain it. */
const shown = (text: string, characters: number): string => text.slice(0, characters).toWellFormed()

const errorText = (name: string, { message }: Refusal): string =>
  `${shown(name, NAME_CHARACTERS)}: ${shown(message, ERROR_CHARACTERS)}`

const withError = (of: Discovery, error: string): Discovery => ({
  ...of,
  refused_count: of.refused_count + 1,
  errors: [...of.errors, error].slice(0, ERRORS_SHOWN),
})

function withOutcome(of: Discovery, { name }: FoundContainer, outcome: Outcome): Discovery {
  const found = { ...of, found_count: of.found_count + 1 }
  if (typeof outcome === 'object') return withError(found, outcome.error)
  if (outcome === 'known') return { ...found, known_count: of.known_count + 1 }
  const names = [...of.names, shown(name, NAME_CHARACTERS)].slice(0, NAMES_SHOWN)
  return { ...found, names, added_count: of.added_count + (outcome === 'added' ? 1 : 0) }
}

/** Ours: keys of records contain it, and the table takes neither longer nor malformed ones. */
const KEY_CHARACTERS = 300
const isUsable = ({ key }: FoundContainer): boolean => key !== '' && key.length <= KEY_CHARACTERS && key.isWellFormed()

const later = (text: string, than: string | undefined): boolean => than === undefined || text > than

/** One step of a search through a connection. It begins where the previous step ended. */
export class SearchStep {
  readonly #of: SearchOf
  readonly #until = performance.now() + STEP_MS
  readonly #matches: (found: FoundContainer) => boolean
  #discovered: Discovery
  #searched: StoredSubJob['searched']
  #hasMoved = false
  /** temporary refusals since the last success */
  #passing = 0

  constructor(of: SearchOf, { discovered = NOTHING_FOUND, searched }: StoredSubJob) {
    const { filter, regions } = of.params
    const isNamed = filter === undefined ? () => true : patternTest([filter])
    this.#of = of
    this.#discovered = discovered
    this.#searched = searched
    this.#matches = ({ name, region }) =>
      isNamed(name) && (regions === undefined || region === undefined || regions.includes(region))
  }

  get progress() {
    return { discovered: this.#discovered, searched: this.#searched }
  }

  /**
   * Searches place by place while there is time. A place or container that is refused is counted, and the search
   * continues; after several temporary refusals in a row the step ends.
   * @returns whether the search is complete
   * @throws the temporary refusal, if the step made no progress
   */
  async take(): Promise<boolean> {
    try {
      return await this.#places()
    } catch (error) {
      if (isFinal(error) || !(error instanceof Refusal) || !this.#hasMoved) throw error
      return false
    }
  }

  get #isLate(): boolean {
    return performance.now() > this.#until
  }

  async #places(): Promise<boolean> {
    const { context, row, search } = this.#of
    const places = (await row.places(context, search)).toSorted()
    const last = this.#searched
    const left = places.filter(
      (place) => later(place, last?.place) || (place === last?.place && last.key !== undefined),
    )
    let temporary: Refusal | undefined
    for (const place of left) {
      if (this.#isLate) return false
      try {
        if (!(await this.#place(place))) return false
        this.#move({ place })
      } catch (error) {
        const refusal = this.#bearable(error)
        this.#discovered = withError(this.#discovered, errorText(place, refusal))
        if (!isFinal(refusal)) temporary = refusal
        this.#searched = { place }
      }
    }
    if (temporary !== undefined && !this.#hasMoved) throw temporary // no place could be read
    return true
  }

  /** A refusal that does not end the step. @throws any other error, and a temporary refusal of a cloud that is down */
  #bearable(error: unknown): Refusal {
    if (!(error instanceof Refusal)) throw error
    this.#passing = isFinal(error) ? 0 : this.#passing + 1
    if (this.#passing >= PASSING_MOST) throw error
    return error
  }

  #move(searched: NonNullable<StoredSubJob['searched']>): void {
    this.#searched = searched
    this.#hasMoved = true
  }

  /** @returns whether all containers of the place were examined */
  async #place(place: string): Promise<boolean> {
    const { row, search } = this.#of
    const { context } = contextOnBehalf(await this.#behalf(row.add.summary, place), new Changes())
    const done = this.#searched?.place === place ? this.#searched.key : undefined
    const found = (await row.containersIn(context, search, place)).filter((one) => this.#matches(one))
    const left = found.filter(({ key }) => later(key, done)).sort((a, b) => (a.key < b.key ? -1 : 1))
    for (let at = 0; at < left.length; at += ADDED_AT_ONCE) {
      if (this.#isLate) return false
      const some = left.slice(at, at + ADDED_AT_ONCE)
      const outcomes = await atOnce(some, ADDED_AT_ONCE, (one) => this.#examine(one))
      for (const [index, one] of some.entries())
        this.#discovered = withOutcome(this.#discovered, one, outcomes[index] ?? 'known')
      this.#move({ place, key: some.at(-1)?.key ?? '' })
    }
    return true
  }

  async #examine(found: FoundContainer): Promise<Outcome> {
    const { context, row, params } = this.#of
    if (!isUsable(found)) return { error: `${shown(found.name, NAME_CHARACTERS)}: The cloud gives it no usable name.` }
    if (await row.isKnown(context, found.key)) return 'known'
    if (params.discover_only === true) return 'new'
    try {
      await this.#add(found)
      this.#passing = 0
      return 'added'
    } catch (error) {
      const refusal = this.#bearable(error)
      if (refusal.reason === 'NAME_TAKEN' && (await row.isKnown(context, found.key))) return 'known'
      await this.#recordRefusal(found, refusal)
      return { error: errorText(found.name, refusal) }
    }
  }

  /** The single call on behalf of the run's initiator, in a transaction of its own with its own audit record. */
  async #add({ key, body }: FoundContainer): Promise<void> {
    const { row, context } = this.#of
    const behalf = await this.#behalf(row.add.summary, key)
    await retryWhenStale(async () => {
      const changes = new Changes()
      const { context: own, subject } = contextOnBehalf(behalf, changes)
      await singly(own, row.add, (decided) => row.addOne(decided, body))
      recordOnBehalf(changes, behalf, subject())
      await changes.commit(context.now)
    })
  }

  async #recordRefusal({ key }: FoundContainer, refusal: Refusal): Promise<void> {
    const changes = new Changes()
    recordOnBehalf(changes, await this.#behalf(this.#of.row.add.summary, key), undefined, refusal)
    await changes.commit(this.#of.context.now)
  }

  async #behalf(summary: string, what: string): Promise<OnBehalf> {
    const { context, job } = this.#of
    const { caller, now, traceId, clientIp } = context
    const fingerprint = `${await context.fingerprint()} ${what}`
    return { initiator: initiatorOf(caller), now, traceId, clientIp, summary, fingerprint, action: `by the job ${job}` }
  }
}
