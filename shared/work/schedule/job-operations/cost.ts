/** What a piece of work takes of its cloud's quotas. */
export interface Cost {
  /** seconds of the quota group's time; 0 without a quota */
  readonly seconds: number
  /** calls that quotas count, by the cloud's name for them; absent where the cloud publishes no quota */
  readonly calls?: Readonly<Record<string, number>>
  /** the quota that decides, with its rate */
  readonly quota?: string
}

/** A quota of a cloud, which one or more kinds of calls share. */
export interface Quota {
  readonly name: string
  /** calls in a number of seconds */
  readonly calls: number
  readonly inSeconds: number
}

const rateOf = ({ name, calls, inSeconds }: Quota): string =>
  `${name}: ${calls} ${inSeconds === 1 ? 'a second' : inSeconds === 60 ? 'a minute' : `in ${inSeconds} seconds`}`

/** The cost of calls: of the quotas that count them, the one that they occupy longest decides. */
export function costOf<Call extends string>(
  quotas: Readonly<Record<Call, Quota>>,
  calls: Readonly<Partial<Record<Call, number>>>,
): Cost {
  const occupied = new Map<Quota, number>()
  for (const call of Object.keys(calls).filter((name): name is Call => Object.hasOwn(quotas, name))) {
    const quota = quotas[call]
    const seconds = ((calls[call] ?? 0) * quota.inSeconds) / quota.calls
    occupied.set(quota, (occupied.get(quota) ?? 0) + seconds)
  }
  const [longest] = [...occupied].toSorted(([, a], [, b]) => b - a)
  if (longest === undefined) throw new Error('A cost is that of at least one call')
  const [quota, seconds] = longest
  return { seconds, calls: { ...calls } as Record<string, number>, quota: rateOf(quota) }
}

/** Work that calls no cloud, or paces itself. */
export const FREE: Cost = { seconds: 0 }
