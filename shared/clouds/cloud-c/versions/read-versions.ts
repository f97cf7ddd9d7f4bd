import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudCVersion, CloudCVersionQuery } from './model.ts'
import { cloudCVersions, storedVersions, type CloudCVersionRow } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { findKey } from '../keys/find-key.ts'
import { cloudC, placeOf } from '../place.ts'
import { findVersion } from './find-version.ts'
import { presentVersion, primaryOf } from './records.ts'

/** A version as it is on record. @throws Refusal NOT_FOUND */
export async function getVersion(context: Context, keyId: string, reference: string): Promise<Stored<CloudCVersion>> {
  const { stored } = await findKey(context, keyId)
  const { item, rev } = await findVersion(context, keyId, reference)
  return { item: presentVersion(item, stored.item), rev }
}

/** A key's versions, oldest first. Costs a read for every hundred there are. @throws Refusal NOT_FOUND */
export async function listVersions(
  context: Context,
  keyId: string,
  query: CloudCVersionQuery,
): Promise<ResourceList<CloudCVersion>> {
  const { domain } = context.caller
  const { item: key } = (await findKey(context, keyId)).stored
  const primary = primaryOf(key)
  const tests: ((row: CloudCVersionRow) => boolean)[] = []
  const { gone, deleted, is_primary: isPrimary } = query
  if (gone !== undefined) tests.push((row) => row.gone === gone)
  if (deleted !== undefined) tests.push((row) => row.deleted === deleted)
  if (isPrimary !== undefined) tests.push(({ number }) => (number === primary) === isPrimary)
  return listed(cloudCVersions, domain.id, query, {
    served: [],
    extraItems: await storedVersions(domain.id, keyId),
    filters: {
      version_id: query.version_id,
      number: query.version,
      state: query.state,
      algorithm: query.algorithm,
      key_material_origin: query.key_material_origin,
    },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    present: ({ item }) => presentVersion(item, key),
  })
}

/**
 * The public half of a version, as the cloud gives it out now; it is kept with the record.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a key that is no pair, and the cloud's own
 */
export async function publicKeyOf(
  context: Context,
  keyId: string,
  reference: string,
): Promise<{ pem: string; algorithm: string }> {
  const { stored, ring } = await findKey(context, keyId)
  const version = await findVersion(context, keyId, reference)
  const { key_name, purpose } = stored.item.cloud_c_params
  if (!purpose.startsWith('ASYMMETRIC_'))
    throw new Refusal('STATE_CONFLICT', `A key of purpose ${purpose} has no public key.`)
  const { item } = version
  const number = item.cloud_c_params.version
  const key = await context.once(`public key ${keyId} ${number}`, async () =>
    (await cloudC()).publicKey(await placeOf(context, ring.item), key_name, number),
  )
  if (item.public_key?.pem !== key.pem)
    context.changes.update(cloudCVersions, context.caller.domain.id, version, { ...item, public_key: key })
  context.about({ uri: item.uri, name: item.cloud_c_params.name })
  return key
}
