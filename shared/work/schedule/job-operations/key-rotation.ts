import { defined } from '../../../base/fields.ts'
import { assertOffered } from '../../work-row.ts'
import { OWN_PARAMS, type KeyRotationParams } from '../configs/params.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { DAY_MS, later } from '../../../base/time.ts'
import { durationMs, graceMs } from '../configs/durations.ts'
import type { JobParams } from '../configs/params.ts'
import { actOnJoined, familyPage, foreseeRotations, skipped } from './joined.ts'
import type { Operation, SubJobPlan, RunOf } from './operation.ts'
import { joinedTo, type Joining, type KeyFacts, type NamedKeys, type Rotated } from './rotated.ts'
import { rotatedCloud, rotatedClouds, rotatedWith } from './rotated-clouds.ts'

const paramsOf = (params: JobParams): Partial<KeyRotationParams> => params // only this operation calls it

/** Clouds whose keys a configuration rotates: the one it names, or all that are offered. */
const cloudsOf = ({ cloud_name }: Partial<KeyRotationParams>): readonly string[] =>
  cloud_name === undefined ? rotatedClouds() : rotatedWith(cloud_name)

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

/** The facts of a key after a rotation at this time, for previews of later runs. */
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

type AttachedTo = Pick<RunOf, 'domain' | 'config' | 'params'>

interface PlannedKeys {
  readonly keys: { facts: KeyFacts; readonly plan: SubJobPlan }[]
  readonly last?: string
}

/** The keys of one cloud that the parameters describe, all in one page. */
async function namedIn(cloud: string, { find }: NamedKeys, { domain, params }: AttachedTo): Promise<PlannedKeys> {
  const found = await find(domain, paramsOf(params))
  return { keys: found.map(({ facts, plan }) => ({ facts, plan: { cloud, resource_type: 'key', ...plan } as const })) }
}

/** A page of the attached keys of one cloud. */
async function attachedIn<T extends Joining, R>(
  cloud: string,
  { entity, facts, plan, named }: Rotated<T, R>,
  of: AttachedTo,
  after: string | undefined,
): Promise<PlannedKeys> {
  if (named !== undefined) return namedIn(cloud, named, of)
  const { domain, config, params: given } = of
  const params = paramsOf(given)
  const { records, ...rest } = await familyPage(entity, domain, joinedTo(config), after)
  const keys = records.map((key) => ({
    facts: facts(key, params),
    plan: { cloud, resource_type: 'key', resource_id: key.id, ...plan(key, params) } as const,
  }))
  return { keys, ...rest }
}

/** A page of the attached keys of every cloud that a configuration rotates. */
async function attached(of: AttachedTo, cursor: string | undefined) {
  const clouds = cloudsOf(paramsOf(of.params))
  const { cloud, after } = placeOf(cursor, clouds)
  if (cloud === undefined) return { keys: [] }
  const { keys, last } = await attachedIn(cloud, await rotatedCloud(cloud), of, after)
  const next = clouds[clouds.indexOf(cloud) + 1]
  const following = last !== undefined ? cursorAt(cloud, last) : next === undefined ? undefined : cursorAt(next, '')
  return { keys, ...defined({ cursor: following }) }
}

/** @throws Refusal RULE_BROKEN for a lifetime longer than one of the clouds allows */
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
  check: async (context, params) => {
    const { cloud_name, expiration } = paramsOf(params)
    if (cloud_name !== undefined) {
      assertOffered(cloud_name, 'rotate')
      await (await rotatedCloud(cloud_name)).named?.check(context, paramsOf(params))
    }
    if (expiration !== undefined) await assertLifetime(expiration, cloudsOf(paramsOf(params)))
  },
  warnings: async ({ domain, params, spacingMinutes }) => {
    const { cloud_name } = paramsOf(params)
    if (cloud_name === undefined) return []
    return (await (await rotatedCloud(cloud_name)).named?.warnings?.(domain, paramsOf(params), spacingMinutes)) ?? []
  },
  find: async (of, cursor) => {
    const { keys, ...next } = await attached(of, cursor)
    const due = keys.filter(({ facts }) => isDue(facts, paramsOf(of.params), of))
    return { plans: due.map(({ plan }) => plan), ...next }
  },
  foresee: (of, runs) => {
    const params = paramsOf(of.params)
    return foreseeRotations(
      (cursor) => attached(of, cursor),
      'joined',
      runs,
      ({ facts }, at) => isDue(facts, params, { ...of, at }),
      (key, at) => {
        key.facts = rotatedFacts(key.facts, params, at)
      },
    )
  },
  single: async (domain, { cloud, resource_id: id }, { job_config_params }) => {
    const { entity, single, named } = await rotatedCloud(cloud)
    if (named !== undefined) return named.single(paramsOf(job_config_params))
    const key = await entity.get(domain, id)
    return key && single(key.item, paramsOf(job_config_params))
  },
  act: async (context, { cloud, resource_id: id }, { job_config_id: config, job_config_params }) => {
    const { entity, facts, rotate, named } = await rotatedCloud(cloud)
    const params = paramsOf(job_config_params)
    if (named !== undefined) return { end: 'done', result: await named.rotate(context, id, params) }
    return actOnJoined(context, entity, { id, noun: 'key', config }, async (key, isBegun) => {
      if (!isBegun && !facts(key, params).live) return skipped('The key cannot be rotated any more.')
      return { end: 'done', result: await rotate(context, key, params) }
    })
  },
}
