import { localFor } from '../adapter/specs.ts'
import type { CloudAImport } from '../adapter/types.ts'
import { sourceFor } from '../../../cloud/keys/source-key.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { CLOUD_A_SPECS } from './model.ts'
import type { StoredCloudAKey } from './store.ts'
import { recordExport, withMaterial } from '../../../vault/keys/leave.ts'
import { cloudA } from '../place.ts'
import { withGeneration } from './records.ts'
import { materialSource } from './source-key.ts'
import { keyKind, reach } from './key-kind.ts'

/** Material that is brought into a key which is there. */
export interface Bringing {
  /** absent: a new local key is made */
  readonly local_key_id?: string
  readonly how: CloudAImport
}

/** Material that was brought in. */
export interface Brought {
  readonly localKeyId: string
  /** the cloud's id of this generation; `null` for kinds of key that have but one */
  readonly materialId: string | null
}

const BROUGHT = 'brought'

/** Brings a local key's material in, once. */
export async function bringMaterial(
  context: Context,
  key: StoredCloudAKey,
  input: Bringing,
  journal: Journal,
): Promise<Brought> {
  const { place } = await reach(context, key)
  const localKeyId = await sourceFor(context, keyKind.service, input, () => localFor(place, input.how), journal)
  const cloud = await cloudA()
  return journal.step(BROUGHT, async (): Promise<Brought> => {
    const materialId = await withMaterial(context, localKeyId, (material) =>
      cloud.importMaterial(place, key.cloud_a_param.KeyID, material, input.how),
    )
    return { localKeyId, materialId: materialId ?? null }
  })
}

/** Material that an earlier run brought in; `undefined` when it did not come to that. */
export const broughtBy = (journal: Journal): Brought | undefined => journal.noted(BROUGHT) as Brought | undefined // its own step's

/**
 * Stages that the local key's material has left.
 * @returns what the record of the cloud key says of it
 */
export async function noteBrought(
  context: Context,
  { localKeyId, materialId }: Brought,
): Promise<(key: StoredCloudAKey) => StoredCloudAKey> {
  await recordExport(context, localKeyId)
  const source = await materialSource(context, localKeyId)
  return (key) => withGeneration(key, materialId ?? undefined, source)
}

/** @throws Refusal STATE_CONFLICT for a key whose material is not imported, NOT_SUPPORTED for a kind we know nothing of */
export function assertTakesMaterial({ cloud_a_param: { Origin, CustomerMasterKeySpec: spec } }: StoredCloudAKey): void {
  if (Origin !== 'EXTERNAL')
    throw new Refusal('STATE_CONFLICT', 'Material can be imported only into a key that was made for imported material.')
  if (!(CLOUD_A_SPECS as readonly string[]).includes(spec))
    throw new Refusal('NOT_SUPPORTED', `Material of the kind ${spec} cannot be from local keys.`)
}
