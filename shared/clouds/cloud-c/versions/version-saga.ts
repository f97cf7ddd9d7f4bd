import { Refusal } from '../../../base/errors.ts'
import type { CloudCVersion } from './model.ts'
import { cloudCKeys } from '../keys/store.ts'
import { cloudCVersions, type CloudCVersionRow } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import type { SagaKind } from '../../../work/sagas/saga.ts'
import type { Recorded } from '../keys/record-read.ts'
import { presentVersion } from './records.ts'

/** Versions as a piece of work answers them. */
export const answeredVersions = {
  id: ({ id }: CloudCVersion): string => id,
  get: async (domain: string, id: string): Promise<Stored<CloudCVersion> | undefined> => {
    const stored = await cloudCVersions.get(domain, id)
    const key = stored && (await cloudCKeys.get(domain, stored.item.parent_key_id))
    return stored && key && { item: presentVersion(stored.item, key.item), rev: stored.rev }
  },
}

export type VersionSaga<Input extends object, Result> = SagaKind<Input, Result, CloudCVersion, CloudCVersionRow>

/**
 * One version of a key whose records were staged just now, as shown.
 * @throws Refusal STATE_CONFLICT when the cloud does not have the key any more
 */
export function recordedVersion({ key, versions }: Recorded, number: string): Stored<CloudCVersion> {
  const version = versions.find(({ item }) => item.cloud_c_params.version === number)
  if (version === undefined) throw new Refusal('STATE_CONFLICT', 'The cloud no longer has this version.')
  return { item: presentVersion(version.item, key.item), rev: version.rev }
}
