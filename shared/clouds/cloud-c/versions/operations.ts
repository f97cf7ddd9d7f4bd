import { getVersion, listVersions } from '../../../cloud/keys/versions/find-version.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import { ok, okStored, operation, type Operation } from '../../../http/operation.ts'
import { versionKind } from '../keys/kinds.ts'
import { CloudCKeyPath, NewCloudCVersion } from '../keys/model.ts'
import { actOnVersion, type VersionActionName } from './act-on-version.ts'
import { CloudCPublicKey, CloudCVersion, CloudCVersionPath, CloudCVersionQuery, ReimportVersion } from './model.ts'
import { addVersion } from './new-version.ts'
import { publicKeyOf } from './public-key.ts'
import { reimport as again } from './reimport-version.ts'

const onKeys = operationsOn({
  path: CloudCKeyPath,
  answers: CloudCVersion,
  reads: 'keymgr-users',
  changes: 'keymgr-users',
})

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/<action>: answers the version as it is then. */
export const versionAction = (summary: string, action: VersionActionName): Operation =>
  operation(
    { summary, path: CloudCVersionPath, answers: CloudCVersion, may: 'keymgr-users' },
    async ({ path, context }) => okStored(await actOnVersion(context, action, path.id, path.version_id)),
  )

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/enable */
export const enable = versionAction('Enable Cloud-c Key Version', 'enable')

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/disable */
export const disable = versionAction('Disable Cloud-c Key Version', 'disable')

/** GET /v1/keymgr/cloud-c/keys/{id}/versions, oldest first. */
export const list = onKeys.listWithin(
  'List Cloud-c Key Versions',
  CloudCVersionQuery,
  CloudCVersion,
  (context, id, query) =>
    listVersions(versionKind, context, id, query, {
      refOf: ({ number }) => number,
      filters: {
        version_id: query.version_id,
        number: query.version,
        state: query.state,
        algorithm: query.algorithm,
        key_material_origin: query.key_material_origin,
      },
      patterns: { name: query.name },
    }),
)

/** POST /v1/keymgr/cloud-c/keys/{id}/versions: of a key that encrypts, the one that does from now on. */
export const create = onKeys.succeed('Create Cloud-c Key Version', NewCloudCVersion, addVersion)

/** GET /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}: by the id of its record or by its number. */
export const get = operation(
  { summary: 'Get Cloud-c Key Version', path: CloudCVersionPath, answers: CloudCVersion, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getVersion(versionKind, context, path.id, path.version_id)),
)

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/refresh: read again, with its key. */
export const refresh = versionAction('Refresh Cloud-c Key Version', 'refresh')

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/schedule-destroy: it can be cancelled until its time comes. */
export const scheduleDestroy = versionAction('Schedule Cloud-c Key Version Destruction', 'schedule-destroy')

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/cancel-schedule-destroy: it is disabled then. */
export const cancelDestroy = versionAction('Cancel Cloud-c Key Version Destruction', 'cancel-schedule-destroy')

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/re-import: the same material, into a version that lost it. */
export const reimport = operation(
  {
    summary: 'Re-import Cloud-c Key Version',
    path: CloudCVersionPath,
    body: ReimportVersion,
    answers: CloudCVersion,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => okStored(await again(context, path.id, path.version_id, body)),
)

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/download-public-key: as the cloud gives it out now. */
export const publicKey = operation(
  {
    summary: 'Download Cloud-c Public Key',
    path: CloudCVersionPath,
    answers: CloudCPublicKey,
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await publicKeyOf(context, path.id, path.version_id)),
)
