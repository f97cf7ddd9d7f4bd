import { notThere, ruleBroken } from '../../../base/errors.ts'
import { rotateEndpoint } from '../../../endpoint/endpoint-key.ts'
import type { Context } from '../../../http/context.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { changeRecord, findRecord } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { beginUse } from '../../../vault/keys/lifecycle/key-users.ts'
import { storeOfKey } from './admit.ts'
import { externalKeyKind } from './kind.ts'
import type {
  DatacustExternalKey,
  DatacustExternalVersion,
  DatacustExternalVersionQuery,
  NewDatacustExternalVersion,
} from './model.ts'
import { findSource } from './source-key.ts'
import { assertEnabled } from './states.ts'

/**
 * Stages a version over another local key. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT, RULE_BROKEN,
 * NAME_TAKEN for a local key of another external key
 */
async function addVersionOver(context: Context, id: string, reference: string): Promise<Stored<DatacustExternalKey>> {
  const { stored, algorithm } = await findSource(context, reference)
  const { item: source } = stored
  return changeRecord(externalKeyKind, context, id, (key) => {
    assertEnabled(key)
    externalKeyKind.assertRenewable?.(key)
    if (algorithm !== key.algorithm || source.size !== key.size)
      throw ruleBroken('source_key_identifier', `must be of the same kind: ${key.algorithm} of ${key.size} bits`)
    if (key.versions.some(({ source_key_id }) => source_key_id === source.id))
      throw ruleBroken('source_key_identifier', 'must be a local key that is not a version already')
    beginUse(context, stored)
    return externalKeyKind.renewed(key, source, context.now)
  })
}

/**
 * Adds a version, which new data is protected with at once: of the local key, or over another one. Older versions
 * decrypt and verify.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT unless enabled, RULE_BROKEN, NAME_TAKEN
 */
export async function addVersion(
  context: Context,
  id: string,
  { source_key_identifier: reference }: Partial<NewDatacustExternalVersion>,
): Promise<Stored<DatacustExternalKey>> {
  await storeOfKey(context, id, 'keyrotate')
  return reference === undefined
    ? rotateEndpoint(externalKeyKind, context, id, assertEnabled)
    : addVersionOver(context, id, reference)
}

/** @throws Refusal NOT_FOUND */
export async function listVersions(
  context: Context,
  id: string,
  query: DatacustExternalVersionQuery,
): Promise<ResourceList<DatacustExternalVersion>> {
  await storeOfKey(context, id, 'view')
  const { item } = await findRecord(externalKeyKind, context, id)
  return listedWhole(item.versions, query, ({ created_at }) => created_at)
}

/** @throws Refusal NOT_FOUND */
export async function getVersion(
  context: Context,
  id: string,
  versionId: string,
): Promise<Stored<DatacustExternalVersion>> {
  await storeOfKey(context, id, 'view')
  const { item, rev } = await findRecord(externalKeyKind, context, id)
  const version = item.versions.find((one) => one.id === versionId)
  if (version === undefined) throw notThere('The external key has no such version.')
  return { item: version, rev }
}
