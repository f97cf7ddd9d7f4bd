import { localFor } from '../adapter/specs.ts'
import type { CloudAImport, CloudAKeyRead, CloudAPlace } from '../adapter/types.ts'
import { keyById } from '../../../cloud/keys/find-key.ts'
import { localKeyFor } from '../../../cloud/keys/source-key.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { CLOUD_A_SPECS } from './model.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'
import { recordExport, withMaterial } from '../../../vault/keys/material/leave.ts'
import { cloudA } from '../adapter.ts'
import { withGeneration } from './records.ts'
import { materialSource } from './source-key.ts'
import { homeOf, reachKey, recipientIn } from '../../../cloud/keys/place.ts'
import { isAmong } from '../../../base/json.ts'
import { answeredKeys, keyKind, recordRead, type KeySaga } from './kind.ts'

/** Material to be imported into an existing key. */
export interface Bringing {
  /** absent: a new local key is created */
  readonly local_key_id?: string
  readonly how: CloudAImport
}

/** Imported material. */
interface Brought {
  readonly localKeyId: string
  /** the cloud's id of this generation; `null` for keys that have only one */
  readonly materialId: string | null
}

const BROUGHT = 'brought'

/** A recorded key and the place of its calls. */
interface KeyAtCloud {
  readonly place: CloudAPlace
  readonly key: StoredCloudAKey
}

/** Imports a local key's material, once. */
export async function bringMaterial(
  context: Context,
  { place, key }: KeyAtCloud,
  input: Bringing,
  journal: Journal,
): Promise<Brought> {
  const localKeyId = await localKeyFor(
    context,
    keyKind.service,
    input.local_key_id,
    localFor(place.connection.cloud_name, input.how.spec),
    journal,
  )
  return journal.step(BROUGHT, async (): Promise<Brought> => {
    const recipient = recipientIn(keyKind, homeOf(keyKind, key))
    const materialId = await withMaterial(context, recipient, localKeyId, (material) =>
      cloudA.importMaterial(place, key.cloud_a_param.KeyID, material, input.how),
    )
    return { localKeyId, materialId: materialId ?? null }
  })
}

type Change = (key: StoredCloudAKey) => StoredCloudAKey

/** Stages the export of the local key, if any was imported. @returns the change to the record of the cloud key */
async function noteBrought(context: Context, brought: Brought | null | undefined): Promise<Change> {
  if (!brought) return (key) => key
  const { localKeyId, materialId } = brought
  await recordExport(context, localKeyId)
  const source = await materialSource(context, localKeyId)
  return (key) => withGeneration(key, materialId ?? undefined, source)
}

/** A saga on the material of a key. */
interface Changing<Input> {
  /** Makes the calls. @returns the imported material, if any */
  readonly work: (context: Context, at: KeyAtCloud, input: Input, journal: Journal) => Promise<Brought | null>
  /** the record with further facts after success */
  readonly then?: (key: StoredCloudAKey, now: Date) => StoredCloudAKey
  /** the record after a refusal; the same object if unchanged */
  readonly refused?: (key: StoredCloudAKey, journal: Journal) => StoredCloudAKey
}

/**
 * A kind of saga that changes a key's material, after which the key is read. Imported material is not removed again.
 */
export const changingMaterial = <Input extends { readonly key_id: string }>(
  name: string,
  { work, then = (key) => key, refused = (key) => key }: Changing<Input>,
): KeySaga<Input, { readonly brought: Brought | null; readonly read: CloudAKeyRead | null }> => ({
  name,
  entity: answeredKeys,
  lasting: [BROUGHT],
  run: async (context, input, journal) => {
    const { item: key } = await keyById(keyKind, context, input.key_id)
    const place = await reachKey(keyKind, context, key)
    const brought = await work(context, { place, key }, input, journal)
    return { brought, read: (await cloudA.read(place, key.cloud_a_param.KeyID)) ?? null }
  },
  settle: async (context, { key_id }, { brought, read }) => {
    const known = await noteBrought(context, brought)
    const before = await keyById(keyKind, context, key_id)
    return recordRead(context, before, read, (key) => known(then(key, context.now)))
  },
  undo: async (context, { key_id }, journal) => {
    const { caller, changes } = context
    const stored = await cloudAKeys.get(caller.domain.id, key_id)
    if (stored === undefined) return
    const known = await noteBrought(context, journal.noted(BROUGHT) as Brought | undefined) // result of that step
    const after = refused(known(stored.item), journal)
    if (after !== stored.item) changes.update(cloudAKeys, caller.domain.id, stored, after)
  },
})

/** @throws Refusal STATE_CONFLICT for a key whose material is not imported, NOT_SUPPORTED for an unknown kind */
export function assertTakesMaterial({ cloud_a_param: { Origin, CustomerMasterKeySpec: spec } }: StoredCloudAKey): void {
  if (Origin !== 'EXTERNAL')
    throw new Refusal('STATE_CONFLICT', 'Material can be imported only into a key that was made for imported material.')
  if (!isAmong(CLOUD_A_SPECS, spec))
    throw new Refusal('NOT_SUPPORTED', `Material of the kind ${spec} cannot be from local keys.`)
}
