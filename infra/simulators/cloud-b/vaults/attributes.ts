import { flagAt, isObject, numberAt, objectAt, type Body } from '../wire/body.ts'
import { recoveryLevelOf, type Vault } from '../directory/directory.ts'
import { badParameter } from '../wire/errors.ts'
import type { HeldItem, HeldVersion } from './held.ts'
import type { VaultCall } from './vault-call.ts'
import { identifier } from './vault-call.ts'

const TAGS_MOST = 15
const TAG_LENGTH_MOST = 256

export const seconds = (ms: number): number => Math.floor(ms / 1000)

/** @throws ApiError BadParameter */
export function tagsIn(body: Body): Readonly<Record<string, string>> | undefined {
  const tags = Object.entries(objectAt(body, 'tags') ?? {})
  const isGood = (entry: [string, unknown]): entry is [string, string] =>
    entry[0].length <= TAG_LENGTH_MOST && typeof entry[1] === 'string' && entry[1].length <= TAG_LENGTH_MOST
  if (tags.length > TAGS_MOST) throw badParameter(`There are more than ${TAGS_MOST} tags.`)
  if (!tags.every(isGood)) throw badParameter(`Tags have at most ${TAG_LENGTH_MOST} characters in name and value.`)
  return isObject(body.tags) ? Object.fromEntries(tags) : undefined
}

type Settable = Pick<HeldVersion, 'enabled' | 'nbf' | 'exp'>

/** Attributes after a request; absent ones are unchanged. @throws ApiError BadParameter */
export function attributesIn(body: Body, before: Settable = { enabled: true }): Settable {
  const attributes = objectAt(body, 'attributes') ?? {}
  const timeAt = (name: 'nbf' | 'exp') =>
    attributes[name] === null ? undefined : (numberAt(attributes, name) ?? before[name])
  const [nbf, exp] = [timeAt('nbf'), timeAt('exp')]
  if ((nbf ?? 0) < 0 || (exp ?? 0) < 0) throw badParameter('Times must not be negative.')
  if (nbf !== undefined && exp !== undefined && exp <= nbf)
    throw badParameter("Property 'exp' must be later than property 'nbf'.")
  return { enabled: flagAt(attributes, 'enabled') ?? before.enabled, nbf, exp }
}

/** Members of `attributes` that all kinds of items have. */
export const describeAttributes = (vault: Vault, version: HeldVersion): object => ({
  enabled: version.enabled,
  ...(version.nbf !== undefined && { nbf: version.nbf }),
  ...(version.exp !== undefined && { exp: version.exp }),
  created: seconds(version.createdAt),
  updated: seconds(version.updatedAt),
  recoveryLevel: recoveryLevelOf(vault),
  ...(vault.softDelete && { recoverableDays: vault.retentionDays }),
})

export const describeTags = ({ tags }: HeldVersion): object => (Object.keys(tags).length > 0 ? { tags } : {})

/** Members that only deleted items have. @param collection such as `deletedkeys` */
export const describeDeletion = (
  { vault }: Pick<VaultCall, 'vault'>,
  collection: string,
  { name, deleted }: HeldItem<HeldVersion>,
): object =>
  deleted === undefined
    ? {}
    : {
        recoveryId: identifier(vault, collection, name),
        deletedDate: seconds(deleted.at),
        scheduledPurgeDate: seconds(deleted.purgeAt),
      }
