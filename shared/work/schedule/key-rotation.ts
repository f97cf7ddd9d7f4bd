import { assertOffered } from '../work-facts.ts'
import { OWN_PARAMS, type KeyRotationParams } from './config-params.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { sagas } from '../sagas/store.ts'
import { DAY_MS, later } from '../../base/time.ts'
import { durationMs, graceMs } from './durations.ts'
import type { JobParams } from './config-params.ts'
import type { Act, Operation, SubJobPlan, RunOf } from './operation.ts'
import type { AnyRotated, KeyFacts } from './rotated.ts'
import { rotatedCloud, rotatedClouds } from './rotated-clouds.ts'

const PAGE = 100
/** Keys a preview looks through. */
const FORESEEN_MOST = 10_000

const paramsOf = (params: JobParams): Partial<KeyRotationParams> => params // of this operation, which is all that asks

/** Clouds whose keys a configuration rotates: the one it names, or every one that is offered. */
const cloudsOf = ({ cloud_name }: Partial<KeyRotationParams>): readonly string[] =>
  cloud_name === undefined ? rotatedClouds() : [cloud_name]

/**
 * Whether a key is due. Ours: with both conditions a key must meet both, since each narrows the choice.
 * `rotation_after` counts from the last rotation, and from the creation of a key that had none. Expired
 * material meets every `expire_in`.
 */
export function isDue(
  { live, expired = false, validTo, rotatedAt, createdAt }: KeyFacts,
  { expire_in, rotation_after }: Partial<KeyRotationParams>,
  { at, spacingMinutes }: Pick<RunOf, 'at' | 'spacingMinutes'>,
): boolean {
  if (!live) return false
  const expiresLater = validTo === undefined || Date.parse(validTo) > at.getTime() + durationMs(expire_in ?? '0h')
  if (expire_in !== undefined && !expired && expiresLater) return false
  if (rotation_after === undefined) return true
  const dueAt = Date.parse(rotatedAt ?? createdAt) + durationMs(rotation_after)
  return dueAt - graceMs(spacingMinutes) <= at.getTime()
}

/** The facts of a key after a rotation at this time, for later runs. */
const rotatedFacts = ({ createdAt }: KeyFacts, { expiration }: Partial<KeyRotationParams>, at: Date): KeyFacts => ({
  live: true,
  createdAt,
  rotatedAt: at.toISOString(),
  ...(expiration !== undefined && { validTo: later(at, durationMs(expiration)).toISOString() }),
})

/** A cursor over the keys of several clouds: `<cloud> <id of the last key>`. */
const cursorAt = (cloud: string, after: string): string => `${cloud} ${after}`
function placeOf(cursor: string | undefined, clouds: readonly string[]): { cloud: string | undefined; after?: string } {
  if (cursor === undefined) return { cloud: clouds[0] }
  const [cloud = '', after = ''] = cursor.split(' ')
  return { cloud, ...(after !== '' && { after }) }
}

/** Every attached key of a configuration, a page at a time, with the row of its cloud. */
async function attached(
  { domain, config, params }: Pick<RunOf, 'domain' | 'config' | 'params'>,
  cursor: string | undefined,
): Promise<{ cloud: AnyRotated | undefined; records: readonly unknown[]; cursor?: string }> {
  const clouds = cloudsOf(paramsOf(params))
  const { cloud: name, after } = placeOf(cursor, clouds)
  if (name === undefined) return { cloud: undefined, records: [] }
  const cloud = await rotatedCloud(name)
  const members = await cloud.entity.membersAfter(domain, cloud.family(config), after, PAGE)
  const stored = await cloud.entity.getMany(
    domain,
    members.map(({ id }) => id),
  )
  const last = members.at(-1)
  const next = clouds[clouds.indexOf(name) + 1]
  const following =
    members.length === PAGE && last !== undefined
      ? cursorAt(name, last.key)
      : next === undefined
        ? undefined
        : cursorAt(next, '')
  return {
    cloud,
    records: stored.map(({ item }) => item as unknown),
    ...(following !== undefined && { cursor: following }),
  }
}

/** @throws Refusal RULE_BROKEN for a lifetime that one of the clouds gives no key */
async function assertLifetime(expiration: string, clouds: readonly string[]): Promise<void> {
  for (const name of clouds) {
    const { lifetimeDaysMost: most } = await rotatedCloud(name)
    if (most === undefined || durationMs(expiration) <= most * DAY_MS) continue
    throw ruleBroken(
      'expiration',
      `must be at most ${most}d for keys of ${name}`,
      `#/${OWN_PARAMS.keymgr_key_rotation}/expiration`,
    )
  }
}

/** Rotates the keys that joined the configuration and are due. */
export const keyRotation: Operation = {
  description: 'Rotates the keys that joined the configuration, when they are due.',
  summary: 'Rotate Key',
  check: async (_context, params) => {
    const { cloud_name, expiration } = paramsOf(params)
    if (cloud_name !== undefined) assertOffered(cloud_name)
    if (expiration !== undefined) await assertLifetime(expiration, cloudsOf(paramsOf(params)))
  },
  find: async (of, cursor) => {
    const page = await attached(of, cursor)
    const { cloud } = page
    const params = paramsOf(of.params)
    const plans =
      cloud === undefined
        ? []
        : page.records
            .filter((record) => isDue(cloud.facts(record, params), params, of))
            .map((record) => cloud.planOf(record, params))
    return { plans, ...(page.cursor !== undefined && { cursor: page.cursor }) }
  },
  foresee: async (of, runs) => {
    const params = paramsOf(of.params)
    const keys: { facts: KeyFacts; plan: SubJobPlan }[] = []
    let cursor: string | undefined
    do {
      const page = await attached(of, cursor)
      const { cloud } = page
      if (cloud !== undefined)
        keys.push(
          ...page.records.map((record) => ({ facts: cloud.facts(record, params), plan: cloud.planOf(record, params) })),
        )
      if (keys.length > FORESEEN_MOST)
        throw new Refusal('RULE_BROKEN', `More than ${FORESEEN_MOST} keys joined: too many to look ahead.`)
      cursor = page.cursor
    } while (cursor !== undefined)
    return runs.map((at) => {
      const due = keys.filter(({ facts }) => isDue(facts, params, { at, spacingMinutes: of.spacingMinutes }))
      for (const key of due) key.facts = rotatedFacts(key.facts, params, at)
      return due.map(({ plan }) => plan)
    })
  },
  act: async (context, subJob, { job_config_id: config, job_config_params: params }) => {
    const cloud = await rotatedCloud(subJob.cloud)
    const { domain } = context.caller
    const stored = await cloud.entity.get(domain.id, subJob.resource_id)
    if (stored === undefined) return skipped('The key is not on record any more.')
    const isBegun = (await sagas.holder(domain.id, 'request', context.fingerprint)) !== undefined
    if (!isBegun && cloud.configOf(stored.item) !== config) return skipped('The key has left the configuration.')
    if (!isBegun && !cloud.facts(stored.item, paramsOf(params)).live)
      return skipped('The key cannot be rotated any more.')
    return { end: 'done', result: await cloud.rotate(context, subJob.resource_id, paramsOf(params)) }
  },
}

const skipped = (reason: string): Act => ({ end: 'skipped', reason })
