import * as z from 'zod'
import type { Sweep } from '../../../base/time.ts'
import { sweptEntity, sweptWork } from '../../../cloud/containers/swept-work.ts'
import { HOSTED_USAGE } from '../../../cloud/keys/hosted-source.ts'
import { assertGoesOn } from '../../../endpoint/endpoint-key.ts'
import { writeTogether } from '../../../store/write-together.ts'
import type { KeyUser } from '../../../vault/keys/lifecycle/key-users.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { cloudDKeys, keysOver } from '../keys/store.ts'
import { isExternalKey } from './external.ts'
import { newVersionOf, stageVersion } from './versions.ts'

/** Ours: external keys that follow in the transaction of the new version, with four writes each. The others follow it. */
const AT_ONCE = 10
/** External keys read at a time. */
const A_PAGE = 100

const DUE = 'follow-local-key'
export const followings = sweptEntity('cloud-d-following', DUE, { local_key_name: z.string() })

/** Gives external keys over a local key a version over its latest one, until none is behind. */
async function followLater(
  domain: string,
  { local_key_name: name }: { readonly local_key_name: string },
  { now, hasTime }: Sweep,
): Promise<boolean> {
  const local = await localKeys.find(domain, 'name', name)
  if (local === undefined) return true
  let after: string | undefined
  do {
    const members = await cloudDKeys.membersAfter(domain, keysOver(name), after, A_PAGE)
    after = members.at(-1)?.key
    const keys = await cloudDKeys.getMany(
      domain,
      members.map(({ id }) => id),
      'leave out',
    )
    const behind = keys.filter(({ item }) => item.local_key_id !== local.item.id)
    const written = await writeTogether(behind, now, (changes, { item, rev }) => {
      if (isExternalKey(item)) newVersionOf(changes, domain, { item, rev }, local.item, { now })
    })
    if (written.length < behind.length) return false
    if (after !== undefined && !hasTime()) return false
  } while (after !== undefined)
  return true
}

const later = sweptWork(DUE, followings, followLater, 'resumed')
export const followingSweep = later.sweep

/** Ids of the external keys that follow a local key in the transaction of its new version, and whether more follow later. */
async function followers(domain: string, name: string): Promise<{ ids: readonly string[]; hasMore: boolean }> {
  const members = await cloudDKeys.membersAfter(domain, keysOver(name), undefined, AT_ONCE + 1)
  return { ids: members.slice(0, AT_ONCE).map(({ id }) => id), hasMore: members.length > AT_ONCE }
}

/** Whether an external key follows its local key in the transaction of the new version. */
export const followsAtOnce = async (domain: string, name: string, keyId: string): Promise<boolean> =>
  (await followers(domain, name)).ids.includes(keyId)

/**
 * The external keys over a local key get a version over its new one. The cloud uses it after a rotation there.
 * @throws Refusal RULE_BROKEN for a version that an external key could not use
 */
export const followLocalKey: NonNullable<KeyUser['follow']> = async (context, former, next) => {
  const domain = context.caller.domain.id
  const { ids, hasMore } = await followers(domain, next.name)
  for (const { item, rev } of await cloudDKeys.getMany(domain, ids)) {
    if (!isExternalKey(item)) continue
    const { display_name: name } = item.cloud_d_params
    assertGoesOn({ noun: 'external key', name, usage: HOSTED_USAGE }, former, next)
    await stageVersion(context, { item, rev }, next)
  }
  if (hasMore) later.plan(context, { local_key_name: next.name })
}
