import { defined } from '../../../base/fields.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import { RECORD_TAG } from '../param.ts'
import { ifThere, mayHaveTakenEffect, until, wait } from './errors.ts'
import type { ItemCalls, ItemParam, Version } from './items.ts'
import { findMade } from './reading.ts'
import { checkedName, knownParts } from './names.ts'
import type { CloudBMaking, CloudBPlace, CloudBRead, CloudBSetting } from './types.ts'

/** Ours: time until the list shows a version whose creation answer was lost. */
const LISTED_MS = 1_000

/** The SDKs write times as 32-bit numbers. */
const TIME_MOST = 2 ** 32 - 1

const dateOf = (field: string, seconds: number): Date => {
  if (seconds <= TIME_MOST) return new Date(seconds * 1000)
  throw ruleBroken(field, 'must be a time before the year 2106', `#/cloud_b_param/attributes/${field}`)
}

/** The given attributes, as the SDKs expect them. @throws Refusal RULE_BROKEN */
export const settingOf = ({ enabled, nbf, exp }: CloudBSetting = {}) => ({
  ...defined({ enabled }),
  ...(nbf !== undefined && { notBefore: dateOf('nbf', nbf) }),
  ...(exp !== undefined && { expiresOn: dateOf('exp', exp) }),
})

/** The SDK options of every creation. */
export const commonOf = ({ attributes, tags, mark }: Pick<CloudBMaking, 'attributes' | 'tags' | 'mark'>) => ({
  ...settingOf(attributes),
  tags: { ...tags, [RECORD_TAG]: mark },
})

/**
 * Creates a version exactly once. When the outcome of a try is unknown, the version is searched for. If it is not
 * found, one more try follows, unless the first may still be under way; then a later resume of the journal searches
 * again.
 */
async function makeOnce(
  place: CloudBPlace,
  make: () => Promise<string>,
  find: () => Promise<string | undefined>,
): Promise<string> {
  try {
    return await make()
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    await wait(LISTED_MS, place.budget)
    const found = await find().catch(() => {
      throw error // the outcome is still unknown
    })
    if (found !== undefined) return found
    if (error instanceof Refusal && error.reason === 'CLOUD_TIMEOUT') throw error
    return make()
  }
}

/**
 * Creates a version and records it before it is used.
 * @param make one request
 * @returns the version as the cloud then describes it; a new one may take a moment to become visible
 */
export async function made<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  spec: CloudBMaking,
  journal: Journal,
  make: () => Promise<Version<Param>>,
): Promise<CloudBRead<Param>> {
  checkedName(spec.name)
  const find = async () => (await findMade(calls, place, spec))?.ref
  let fresh: Version<Param> | undefined
  const once = async () => {
    fresh = await make()
    return fresh.ref
  }
  const ref = await journal.step(MADE, () => makeOnce(place, once, find), find)
  if (fresh?.ref === ref) return { ...fresh, is_latest: true }
  const { name, version } = knownParts(ref)
  const [latest, own] = await until(place.budget, async () => {
    const last = await ifThere(calls.get(place, name))
    const seen = last?.ref === ref ? last : await ifThere(calls.get(place, name, version))
    return last && seen && ([last, seen] as const)
  })
  return { ...own, is_latest: latest.ref === ref }
}
