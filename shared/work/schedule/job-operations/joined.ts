import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Entity } from '../../../store/entity.ts'
import { sagas } from '../../sagas/store.ts'
import type { Act, SubJobPlan } from './operation.ts'
import { joinedTo, type Joining } from './rotated.ts'

const PAGE = 100

/** Part of the list row of records that join no job configuration. */
export const JOINS_NO_CONFIG: { readonly job_config_id: string | undefined } = { job_config_id: undefined }

/**
 * A page of a family's records, in the order of their keys. Two reads. @returns also the last key, unless the family
 * ends
 */
export async function familyPage<T, R>(
  entity: Entity<T, R>,
  domain: string,
  family: string,
  after: string | undefined,
): Promise<{ readonly records: readonly T[]; readonly last?: string }> {
  const members = await entity.membersAfter(domain, family, after, PAGE)
  const ids = members.map(({ id }) => id)
  const stored = await entity.getMany(domain, ids, 'leave out')
  const last = members.length === PAGE ? members.at(-1)?.key : undefined
  return { records: stored.map(({ item }) => item), ...defined({ last }) }
}

/** Whether any record joined the configuration. */
export const hasJoined = async <T, R>(entity: Entity<T, R>, domain: string, config: string): Promise<boolean> =>
  (await entity.membersAfter(domain, joinedTo(config), undefined, 1)).length > 0

export const skipped = (reason: string): Act => ({ end: 'skipped', reason })

/** Acts on a record that is still in the configuration of its run. Work already begun continues in any case. */
export async function actOnJoined<T extends Joining, R>(
  context: Context,
  entity: Entity<T, R>,
  { id, noun, config }: { readonly id: string; readonly noun: string; readonly config: string },
  act: (record: T, isBegun: boolean) => Promise<Act>,
): Promise<Act> {
  const { domain } = context.caller
  const stored = await entity.get(domain.id, id)
  if (stored === undefined) return skipped(`The ${noun} is not on record any more.`)
  const isBegun = (await sagas.holder(domain.id, 'request', await context.fingerprint())) !== undefined
  const hasLeft = stored.item.labels?.job_config_id !== config
  return hasLeft && !isBegun ? skipped(`The ${noun} has left the configuration.`) : act(stored.item, isBegun)
}

/** Most keys that a preview reads. */
const FORESEEN_MOST = 10_000

/**
 * Plans later runs of a rotation, each as if the earlier ones had taken place.
 * @param why the keys take part, for the refusal
 * @param rotated updates the key's facts as a rotation would
 * @throws Refusal RULE_BROKEN for too many keys
 */
export async function foreseeRotations<K extends { readonly plan: SubJobPlan }>(
  page: (cursor: string | undefined) => Promise<{ readonly keys: readonly K[]; readonly cursor?: string }>,
  why: string,
  runs: readonly Date[],
  isDue: (key: K, at: Date) => boolean,
  rotated: (key: K, at: Date) => void,
): Promise<(readonly SubJobPlan[])[]> {
  const keys: K[] = []
  let cursor: string | undefined
  do {
    const read = await page(cursor)
    keys.push(...read.keys)
    if (keys.length > FORESEEN_MOST)
      throw new Refusal('RULE_BROKEN', `More than ${FORESEEN_MOST} keys ${why}: too many to look ahead.`)
    cursor = read.cursor
  } while (cursor !== undefined)
  return runs.map((at) => {
    const due = keys.filter((key) => isDue(key, at))
    for (const key of due) rotated(key, at)
    return due.map(({ plan }) => plan)
  })
}
