import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { UpdateAllVersionsJob, type UpdateAllVersions } from './model.ts'
import { bulkJobs, type StoredBulkJob } from '../../../work/bulk/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { stageJobs } from '../../../work/bulk/stage-jobs.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { storedVersions } from '../../../cloud/keys/versions/version-kind.ts'
import { keyKind, versionKind } from '../keys/kinds.ts'
import { VERSION_ACTIONS } from './act-on-version.ts'
import { VERSIONS_BULK } from './bulk.ts'

const present = ({ item, rev }: Stored<StoredBulkJob>): Stored<UpdateAllVersionsJob> => ({
  item: UpdateAllVersionsJob.parse(item),
  rev,
})

/**
 * Does the same to every version of a key that can take it by its state, in the caller's name, after the request. What
 * can be told of a version only when its turn comes stands in the job then.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function updateAllVersions(
  context: Context,
  { key_id, operation }: UpdateAllVersions,
): Promise<Stored<UpdateAllVersionsJob>> {
  const { may, from } = VERSION_ACTIONS[VERSIONS_BULK[operation].action]
  const field = { pointer: '#/key_id', detail: 'is not there' }
  const { item: key } = (await findKeyFor(keyKind, context, key_id, may, field)).stored
  keyKind.assertManaged(key)
  const versions = await storedVersions(versionKind, context.caller.domain.id, key_id)
  const keys = versions
    .filter(({ item }) => !item.gone && from.some((state) => state === item.state))
    .map(({ item }) => item.cloud_c_params.version)
  const [job] = stageJobs(context, [
    { cloud_name: 'cloud-c', operation, key_id, keys, container_ids: [key.key_ring_id] },
  ])
  if (job === undefined) throw new Error('One job was staged')
  context.about({ uri: key.uri, name: key.cloud_c_params.key_name, after: { operation, versions: keys } })
  return present(job)
}

/** Ours: administrators see every job, everybody else those they asked for. @throws Refusal NOT_FOUND */
export async function getVersionsJob({ caller }: Context, id: string): Promise<Stored<UpdateAllVersionsJob>> {
  const stored = await bulkJobs.get(caller.domain.id, id)
  const isSeen = isKeymgrAdmin(caller) || stored?.item.asker.sub === caller.sub
  if (stored?.item.cloud_name !== 'cloud-c' || !isSeen) throw new Refusal('NOT_FOUND', 'There is no such job.')
  return present(stored)
}
