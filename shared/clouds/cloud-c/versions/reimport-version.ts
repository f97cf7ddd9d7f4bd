import { ruleBroken } from '../../../base/errors.ts'
import { findKeyFor, keyById } from '../../../cloud/keys/find-key.ts'
import { homeOf, reachKey, readNow, recipientIn } from '../../../cloud/keys/place.ts'
import { assertState } from '../../../cloud/keys/versions/act-on-version.ts'
import { findVersion } from '../../../cloud/keys/versions/find-version.ts'
import { recordVersionsRefused, settleVersion, sourceOf } from '../../../cloud/keys/versions/record-versions.ts'
import { answeredVersions, type VersionSaga } from '../../../cloud/keys/versions/kind.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, recordExport, shapeOf, withMaterial } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertMaterialFits } from '../adapter/specs.ts'
import { keyKind, type CloudCTypes } from '../keys/kind.ts'
import { cloudC } from '../adapter.ts'
import type { CloudCVersion, ReimportVersion } from './model.ts'

interface Reimporting {
  readonly key_id: string
  readonly version: string
  readonly local_key_id: string
}

/** States in which the cloud accepts the same material again. */
const EMPTY = ['DESTROYED', 'IMPORT_FAILED'] as const

/** Imports the material again into a version that was destroyed, or whose import failed. */
export const reimportingCloudC: VersionSaga<CloudCTypes, Reimporting, CloudCTypes['whole'] | null> = {
  name: 're-import-cloud-c-version',
  entity: answeredVersions(keyKind),
  run: async (context, { key_id, version, local_key_id }, journal) => {
    const { item: key } = await keyById(keyKind, context, key_id)
    const place = await reachKey(keyKind, context, key)
    await withMaterial(context, recipientIn(keyKind, homeOf(keyKind, key)), local_key_id, (material) =>
      cloudC.reimportVersion(place, key.cloud_c_params.key_name, version, material, journal),
    )
    return readNow(keyKind, context, place, key)
  },
  settle: async (context, { key_id, version, local_key_id }, whole) => {
    await recordExport(context, local_key_id)
    const sources = new Map([[version, await sourceOf(context, local_key_id)]])
    return settleVersion(keyKind, context, key_id, whole, version, sources)
  },
  undo: async (context, { key_id, local_key_id }, journal) => {
    if (journal.noted('job') !== undefined) await recordExport(context, local_key_id) // the cloud may have received it
    await recordVersionsRefused(keyKind, context, key_id)
  },
}

/**
 * Re-imports a version; the cloud checks that the material is the same as before.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export const reimport = (
  context: Context,
  keyId: string,
  reference: string,
  body: ReimportVersion,
): Promise<Stored<CloudCVersion>> =>
  carryOut(context, reimportingCloudC, async () => {
    const { stored } = await findKeyFor(keyKind, context, keyId, 'keyupload')
    const { item: version } = await findVersion(keyKind, context, keyId, reference)
    keyKind.assertManaged(stored.item)
    const named = body.source_key_id ?? version.local_key_id
    const pointer = '#/source_key_id'
    if (named === undefined) {
      throw ruleBroken('source_key_id', 'must name the local key whose material the version had', pointer)
    }
    const local = await findKeyForCloud(context, named, pointer)
    assertMaterialFits(version.cloud_c_params.algorithm, shapeOf(local), pointer)
    await assertState(keyKind, context, stored.item, version, EMPTY)
    const input: Reimporting = { key_id: keyId, version: version.cloud_c_params.version, local_key_id: local.id }
    return { subject: keyId, container: stored.item.key_ring_id, input }
  })
