import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { Resource, Time, Uuid } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import type { Route } from '../../../http/operation.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import type { Stored } from '../../../store/entity.ts'
import { beginningJob } from '../../../work/bulk/cloud-jobs.ts'
import { stageJobs } from '../../../work/bulk/stage-jobs.ts'
import { BULK_STATUSES, bulkJobs, type StoredBulkJob } from '../../../work/bulk/store.ts'
import { routesOn } from '../../../resource/routes.ts'
import { findKeyFor } from '../find-key.ts'
import type { Operations, VersionActions } from './act-on-version.ts'
import { storedVersions, type VersionedKind, type VersionedTypes } from './kind.ts'
import { namesOf } from '../../../base/fields.ts'
import { extended } from '../../../base/lazy-fields.ts'

/** Bodies of such jobs, and a job as shown. */
function schemasOf(operations: Operations) {
  const Operation = z.enum(namesOf(operations))
  return {
    body: z.strictObject({ key_id: Uuid, operation: Operation }),
    job: extended(Resource, () => ({
      key_id: z.string(),
      operation: Operation,
      overall_status: z.enum(BULK_STATUSES),
      detailed_status: z
        .record(z.string(), z.string())
        .meta({ description: 'result of each finished version: Success, or the reason of the failure' }),
      completed_at: Time.optional(),
    })),
  }
}

/**
 * Stages a job that applies the same action to every version of a key whose state permits it, in the caller's name,
 * after the request. Refusals of a single version appear in the job.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
async function stageJob<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  { table }: VersionActions<T>,
  operations: Operations,
  context: Context,
  { key_id, operation }: { readonly key_id: string; readonly operation: string },
): Promise<Stored<StoredBulkJob>> {
  const { may, from } = table[operations[operation] ?? ''] ?? { may: '' } // checked by the schema
  const field = { pointer: '#/key_id', detail: 'is not there' }
  const { item: key } = (await findKeyFor(kind, context, key_id, may, field)).stored
  kind.assertManaged(key)
  const versions = (await storedVersions(kind, context.caller.domain.id, key_id)).map(({ item }) => item)
  const keys = versions.filter(({ gone, state }) => !gone && (from?.includes(state) ?? true)).map(kind.versions.refOf)
  const container_ids = [kind.containerIdOf(key)]
  const members = keys.map((id) => ({ id, record: key }))
  const [job] = await stageJobs(context, [{ cloud_name: kind.service, operation, key_id, members, container_ids }])
  if (job === undefined) throw new Error('One job was staged')
  context.about({ uri: key.uri, name: kind.nameOf(key), after: { operation, versions: keys } })
  return job
}

/** Ours: administrators see every job, other users only their own. @throws Refusal NOT_FOUND */
async function findJob({ caller }: Context, service: string, id: string): Promise<Stored<StoredBulkJob>> {
  const stored = await bulkJobs.get(caller.domain.id, id)
  const isSeen = isKeymgrAdmin(caller) || stored?.item.initiator.sub === caller.sub
  if (stored?.item.cloud_name !== service || !isSeen) throw new Refusal('NOT_FOUND', 'There is no such job.')
  return stored
}

/**
 * The routes of jobs on all versions of a key: begun at once, continued after the response. @param noun of the versions
 */
export function allVersionsRoutes<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  actions: VersionActions<T>,
  operations: Operations,
  { at, noun }: { readonly at: string; readonly noun: string },
): Route[] {
  const { body, job: answers } = schemasOf(operations)
  const on = routesOn({ at, answers, reads: 'keymgr-users', changes: 'keymgr-users' })
  const shown = ({ item, rev }: Stored<StoredBulkJob>) => ({ item: answers.parse(item), rev })
  return [
    beginningJob(
      on.create(`Update All ${noun}s`, body, async (context, asked) =>
        shown(await stageJob(kind, actions, operations, context, asked)),
      ),
    ),
    on.get(`Get ${noun}s Job`, async (context, id) => shown(await findJob(context, kind.service, id))),
  ]
}
