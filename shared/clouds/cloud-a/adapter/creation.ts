import { CreateKeyCommand, ReplicateKeyCommand } from '@aws-sdk/client-kms'
import type { CreateKeyCommandInput, OriginType } from '@aws-sdk/client-kms'
import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { Refusal } from '../../../base/errors.ts'
import { KEY_TAG, type CloudAUsage } from '../keys/model.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import { addAlias, assertAliasFree } from './aliases.ts'
import { onKms } from './client.ts'
import { codeOf, mayHaveTakenEffect, wait } from './errors.ts'
import { assertImportable, importMaterial } from './material.ts'
import { describe, read, refs, tagsOf } from './reading.ts'
import { specNamed, usageFor } from './specs.ts'
import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from './types.ts'
import { onceKnown } from './waiting.ts'

/** Ours: parallel calls that leave room for other work in the same account and region. */
const TOGETHER = 5
/** Ours: time until the list shows a key whose creation answer was lost. */
const LISTED_MS = 1_000

const requestFor = (spec: CloudAKeySpec, origin: OriginType, journal: Journal): CreateKeyCommandInput => ({
  KeySpec: specNamed(spec.spec).name,
  KeyUsage: usageFor(spec.spec, spec.usage as CloudAUsage), // any other usage is refused there
  Origin: origin,
  Tags: [...spec.tags.filter(({ TagKey }) => TagKey !== KEY_TAG), { TagKey: KEY_TAG, TagValue: journal.id }],
  ...defined({
    Description: spec.description,
    Policy: spec.policy,
    MultiRegion: spec.multiRegion,
    BypassPolicyLockoutSafetyCheck: spec.bypassPolicyLockoutSafetyCheck,
  }),
  ...(spec.keyStore !== undefined && { CustomKeyStoreId: spec.keyStore.id }),
  ...(spec.keyStore?.xksKeyId !== undefined && { XksKeyId: spec.keyStore.xksKeyId }),
})

/** Where the cloud keeps the material of a key that it creates. */
function originOf({ empty, keyStore }: CloudAKeySpec): OriginType {
  if (keyStore !== undefined) return keyStore.xksKeyId === undefined ? 'AWS_CLOUDHSM' : 'EXTERNAL_KEY_STORE'
  return empty === true ? 'EXTERNAL' : 'AWS_KMS'
}

/** The first key of `refs` that has the journal's mark. */
async function marked(place: CloudAPlace, found: readonly string[], journal: Journal): Promise<string | undefined> {
  for (let from = 0; from < found.length; from += TOGETHER) {
    const some = found.slice(from, from + TOGETHER)
    const tags = await Promise.all(some.map((ref) => tagsIfReadable(place, ref)))
    const at = tags.findIndex((own) =>
      own.some(({ TagKey, TagValue }) => TagKey === KEY_TAG && TagValue === journal.id),
    )
    if (at >= 0) return some[at]
  }
  return undefined
}

/** A key whose tags we may not read was not created by us. */
async function tagsIfReadable(place: CloudAPlace, ref: string) {
  try {
    return (await ifThere(tagsOf(place, ref))) ?? []
  } catch (error) {
    if (codeOf(error) === 'AccessDeniedException') return []
    throw error
  }
}

/**
 * A key that an earlier try created but could not record. Costs a call for each unrecorded key of the place: the cloud
 * has no token that makes a creation repeatable, and no search by tag here.
 */
async function findMade(place: CloudAPlace, journal: Journal): Promise<string | undefined> {
  let cursor: string | undefined
  do {
    const page = await refs(place, cursor)
    const found = await marked(place, await journal.unrecorded(page.refs), journal)
    if (found !== undefined) return found
    cursor = page.next
  } while (cursor !== undefined)
  return undefined
}

/**
 * Creates the key exactly once: when the outcome is unknown, the key is searched for. If it is not found, the creation
 * is tried once more, unless the first try may still be under way; then a later resume of the journal searches again.
 */
async function makeOnce(
  place: CloudAPlace,
  spec: CloudAKeySpec,
  origin: OriginType,
  journal: Journal,
): Promise<string> {
  if (spec.alias !== undefined) await assertAliasFree(place, spec.alias)
  const make = async () => {
    const command = new CreateKeyCommand(requestFor(spec, origin, journal))
    const { KeyMetadata: made } = await onKms(place, (kms, options) => kms.send(command, options))
    if (made?.KeyId === undefined) throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the new key.')
    return made.KeyId
  }
  try {
    return await make()
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    await wait(LISTED_MS, place.budget)
    const found = await findMade(place, journal).catch(() => {
      throw error // the outcome is still unknown
    })
    if (found !== undefined) return found
    if (error instanceof Refusal && error.reason === 'CLOUD_TIMEOUT') throw error
    return make()
  }
}

/** Steps common to both ways of creating a key: the key first, then its missing parts, then its alias. */
async function made(
  place: CloudAPlace,
  spec: CloudAKeySpec,
  origin: OriginType,
  journal: Journal,
  fill: (ref: string) => Promise<void>,
): Promise<CloudAKeyRead> {
  const ref = await journal.step(
    MADE,
    () => makeOnce(place, spec, origin, journal),
    () => findMade(place, journal),
  )
  const { budget } = place
  await onceKnown(budget, () => fill(ref))
  const { alias } = spec
  if (alias !== undefined)
    await journal.step('alias', async () => {
      await onceKnown(budget, () => addAlias(place, ref, alias))
      return alias
    })
  return onceKnown(budget, async () => {
    const key = await read(place, ref)
    if (key === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-a does not know the key it has made.')
    return key
  })
}

export const create = (place: CloudAPlace, spec: CloudAKeySpec, journal: Journal): Promise<CloudAKeyRead> =>
  made(place, spec, originOf(spec), journal, () => Promise.resolve())

export async function upload(
  place: CloudAPlace,
  spec: CloudAKeySpec,
  material: KeyMaterial,
  journal: Journal,
): Promise<CloudAKeyRead> {
  assertImportable(place, spec, material)
  return made(place, spec, 'EXTERNAL', journal, async (ref) => {
    await journal.step('material', async () => {
      const { KeyState } = await describe(place, ref)
      if (KeyState !== 'Enabled') await importMaterial(place, ref, material, { spec: spec.spec, validTo: spec.validTo })
      return true
    })
  })
}

/** A replica needs no mark besides the given tags: it has the id of its primary, so it can always be found. */
export async function replicate(
  place: CloudAPlace,
  ref: string,
  region: string,
  spec: Omit<CloudAKeySpec, 'spec' | 'usage'>,
): Promise<void> {
  const there = { ...place, region }
  const command = new ReplicateKeyCommand({
    KeyId: ref,
    ReplicaRegion: region,
    Tags: [...spec.tags],
    ...defined({
      Description: spec.description,
      Policy: spec.policy,
      BypassPolicyLockoutSafetyCheck: spec.bypassPolicyLockoutSafetyCheck,
    }),
  })
  try {
    await onKms(place, (kms, options) => kms.send(command, options))
  } catch (error) {
    if (codeOf(error) !== 'AlreadyExistsException') throw error
  }
  await onceKnown(place.budget, () => describe(there, ref))
  const { alias } = spec
  if (alias !== undefined) await addAlias(there, ref, alias)
}
