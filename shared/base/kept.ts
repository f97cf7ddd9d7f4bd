import { Refusal } from './errors.ts'

/**
 * When something happens, by both clocks: the monotonic one of this process, and the request's own, which goes on while
 * the process is frozen.
 */
export interface Moment {
  /** `performance.now()` */
  readonly monoMs: number
  /** the request's `timeEpoch` */
  readonly epochMs: number
  /** By the monotonic clock: whoever has to wait gives up then. What they wait for goes on, for those who come later. */
  readonly untilMs: number
}

/** What `work` comes to, unless time is up before. @throws Refusal UNAVAILABLE */
export async function inTime<T>(work: Promise<T>, { untilMs }: Moment): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new Refusal('UNAVAILABLE', 'There was no time to wait any longer.'))
    timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()))
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

/** How long what was read may be relied upon. Ages count from when reading began. */
export interface Bounds {
  /** older than this it is read again in the background, and goes on being used */
  readonly refreshAfterMs: number
  /** older than this it is not used any more */
  readonly staleAfterMs: number
  /** at most so many are kept; the one that was used longest ago goes first */
  readonly entries: number
}

interface Entry<T> {
  value: T | undefined
  readAt: Moment | undefined
  reading: { readonly since: Moment; readonly outcome: Promise<T | undefined> } | undefined
}

/** By whichever clock it is older; a request's clock that went back counts as well. */
export const ageMs = (then: Moment, now: Moment): number =>
  Math.max(now.monoMs - then.monoMs, Math.abs(now.epochMs - then.epochMs))

/** Things read from elsewhere and kept for a while, with a bound on their age that holds whatever happens to the source. */
export class Kept<T> {
  readonly #bounds: Bounds
  readonly #entries = new Map<string, Entry<T>>()

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    setInterval(() => this.#dropOld(), bounds.staleAfterMs).unref()
  }

  /** What is too old to be used is not held either; by the monotonic clock, since nobody asks. */
  #dropOld(): void {
    const oldest = performance.now() - this.#bounds.staleAfterMs
    for (const [name, { readAt, reading }] of this.#entries)
      if (reading === undefined && readAt !== undefined && readAt.monoMs < oldest) this.#entries.delete(name)
  }

  /**
   * What is kept under `name`, or what `read` finds; `undefined`, which is not kept, when there is nothing. Readers who
   * come together share one reading. A reading in the background that fails is nobody's business: the next use tries again.
   * @param read is given what was kept so far
   * @throws Refusal UNAVAILABLE when time is up before it is read, and what `read` throws
   */
  get(
    name: string,
    now: Moment,
    read: (before: T | undefined) => Promise<T | undefined>,
  ): T | undefined | Promise<T | undefined> {
    const entry = this.#entries.get(name)
    if (entry?.value === undefined || entry.readAt === undefined) return this.again(name, now, read)
    const age = ageMs(entry.readAt, now)
    if (age > this.#bounds.staleAfterMs) return this.again(name, now, read)
    if (age > this.#bounds.refreshAfterMs) {
      this.#use(name, entry)
      this.#read(name, now, read).catch(() => undefined)
    }
    return entry.value
  }

  /** As `again`, unless it was read less than `limitMs` ago: whoever asks often reads no more often. */
  youngerThan(
    limitMs: number,
    name: string,
    now: Moment,
    read: (before: T | undefined) => Promise<T | undefined>,
  ): T | undefined | Promise<T | undefined> {
    const kept = this.#entries.get(name)
    const isYoung = kept?.value !== undefined && kept.readAt !== undefined && ageMs(kept.readAt, now) < limitMs
    return isYoung ? kept.value : this.again(name, now, read)
  }

  /** What is kept under `name` and may be relied upon; nothing is read. */
  atHand(name: string, now: Moment): T | undefined {
    const kept = this.#entries.get(name)
    return kept?.readAt && ageMs(kept.readAt, now) <= this.#bounds.staleAfterMs ? kept.value : undefined
  }

  /** What there is now, whatever is kept: for an answer that should not come from what is seconds old. */
  again(name: string, now: Moment, read: (before: T | undefined) => Promise<T | undefined>): Promise<T | undefined> {
    return inTime(this.#read(name, now, read), now)
  }

  /** Puts it last in line to go. Only now and then: at every use it would cost more than the rest of `get`. */
  #use(name: string, entry: Entry<T>): void {
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    if (this.#entries.size > this.#bounds.entries) this.#entries.delete(this.#entries.keys().next().value ?? '')
  }

  #read(name: string, now: Moment, read: (before: T | undefined) => Promise<T | undefined>): Promise<T | undefined> {
    const entry: Entry<T> = this.#entries.get(name) ?? { value: undefined, readAt: undefined, reading: undefined }
    // One that began long ago, and may have been frozen with the process, is not waited for.
    if (entry.reading && ageMs(entry.reading.since, now) <= this.#bounds.refreshAfterMs) return entry.reading.outcome
    const reading = { since: now, outcome: read(entry.value) }
    entry.reading = reading
    this.#use(name, entry)
    const settle = (value: T | undefined): void => {
      if (entry.reading !== reading) return
      entry.reading = undefined
      entry.value = value
      entry.readAt = now
      if (value === undefined) this.#entries.delete(name)
    }
    reading.outcome.then(settle, () => {
      if (entry.reading !== reading) return
      entry.reading = undefined
      if (entry.value === undefined) this.#entries.delete(name)
    })
    return reading.outcome
  }
}
