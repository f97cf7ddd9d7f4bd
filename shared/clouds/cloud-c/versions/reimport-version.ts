import { assertMaterialFits } from '../adapter/specs.ts'
import type { Context } from '../../../http/context.ts'
import { ruleBroken } from '../../../base/errors.ts'
import type { CloudCVersion, ReimportVersion } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, recordExport, shapeOf, withMaterial } from '../../../vault/keys/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertThere, findKeyFor } from '../keys/find-key.ts'
import { reach } from '../keys/making.ts'
import { keyById, readAfter, recordRead, recordRefused } from '../keys/record-read.ts'
import type { WholeKey } from '../keys/records.ts'
import { sourceOf } from '../keys/source.ts'
import { cloudC } from '../place.ts'
import { assertState } from './act-on-version.ts'
import { findVersion } from './find-version.ts'
import { answeredVersions, recordedVersion, type VersionSaga } from './version-saga.ts'

interface Reimporting {
  readonly key_id: string
  readonly version: string
  readonly local_key_id: string
}

/** States in which the cloud takes the same material again. */
const EMPTY = ['DESTROYED', 'IMPORT_FAILED'] as const

/** Brings the material into a version again that was destroyed, or whose import failed. */
export const reimportingCloudC: VersionSaga<Reimporting, WholeKey | null> = {
  name: 're-import-cloud-c-version',
  entity: answeredVersions,
  run: async (context, { key_id, version, local_key_id }, journal) => {
    const { item: key } = await keyById(context, key_id)
    const place = await reach(context, key.key_ring_id)
    const cloud = await cloudC()
    await withMaterial(context, local_key_id, (material) =>
      cloud.reimportVersion(place, key.cloud_c_params.key_name, version, material, journal),
    )
    return readAfter(context, place, key)
  },
  settle: async (context, { key_id, version, local_key_id }, whole) => {
    await recordExport(context, local_key_id)
    const sources = new Map([[version, await sourceOf(context, local_key_id)]])
    const recorded = await recordRead(context, await keyById(context, key_id), whole, { sources })
    return recordedVersion(recorded, version)
  },
  undo: async (context, { key_id, local_key_id }, journal) => {
    if (journal.noted('job') !== undefined) await recordExport(context, local_key_id) // the cloud may have seen it
    await recordRefused(context, key_id)
  },
}

/**
 * Re-imports a version; that its material is the same as before is for the cloud to judge.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and the cloud's own
 */
export const reimport = (
  context: Context,
  keyId: string,
  reference: string,
  body: ReimportVersion,
): Promise<Stored<CloudCVersion>> =>
  carryOut(context, reimportingCloudC, async () => {
    const { stored, ring } = await findKeyFor(context, keyId, 'keyupload')
    const { item: version } = await findVersion(context, keyId, reference)
    assertThere(stored.item)
    const named = body.source_key_id ?? version.local_key_id
    const pointer = '#/source_key_id'
    if (named === undefined) {
      throw ruleBroken('source_key_id', 'must name the local key whose material the version had', pointer)
    }
    const local = await findKeyForCloud(context, named, pointer)
    assertMaterialFits(version.cloud_c_params.algorithm, shapeOf(local), pointer)
    await assertState(context, stored.item, version, ring.item, EMPTY)
    const input: Reimporting = { key_id: keyId, version: version.cloud_c_params.version, local_key_id: local.id }
    return { subject: keyId, container: stored.item.key_ring_id, input }
  })
