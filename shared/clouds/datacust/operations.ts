import { KeyPassport } from '../../audit/passport/model.ts'
import { USUAL_ACTIONS } from '../../cloud/containers/actions.ts'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { getKey } from '../../cloud/keys/find-key.ts'
import { NewVersion } from '../../cloud/keys/model.ts'
import { versionedKeyPassport } from '../../cloud/keys/passport.ts'
import { versionRoutes } from '../../cloud/keys/versions/version-routes.ts'
import { ending } from '../../http/danger.ts'
import { listOf } from '../../http/common-fields.ts'
import { created, ok, operation, route, type Route } from '../../http/operation.ts'
import { lookUp, routesOn } from '../../resource/routes.ts'
import { beginningJob } from '../../work/bulk/cloud-jobs.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { addGroups, checkService, findGroups, listApplications, removeGroup, updateGroup } from './groups/groups.ts'
import { groupKind } from './groups/kind.ts'
import * as groups from './groups/model.ts'
import { act, doing } from './keys/act-on-key.ts'
import { disableAutoRotation, enableAutoRotation } from './keys/auto-rotation.ts'
import { createKey, uploadKey } from './keys/create-key.ts'
import { deleteKey } from './keys/delete-key.ts'
import { CreateDatacustKeyJob, createKeyJob, DatacustKeyJob, getKeyJob } from './keys/jobs.ts'
import { keyKind } from './keys/kind.ts'
import { listKeys } from './keys/list-keys.ts'
import * as bodies from './keys/model.ts'
import { removeKeyRecord } from './keys/remove-key.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { referenceKind } from './references/kind.ts'
import {
  CreateDatacustReference,
  DatacustReference,
  DatacustReferenceQuery,
  UpdateDatacustReference,
} from './references/model.ts'
import * as references from './references/references.ts'
import { VERSION_ACTIONS } from './versions/act-on-version.ts'
import { DatacustVersion, DatacustVersionQuery, UpdateDatacustVersion } from './versions/model.ts'
import { addVersion } from './versions/new-version.ts'

const BASE = '/v1/keymgr/datacust'
const ADMINS = 'keymgr-admins'

const { FindGroups, FoundGroups, CheckService, CheckedService, AddGroups, AddedGroups } = groups
/** Resources that a connection reaches, read from the cloud now. */
const lookUps: readonly Route[] = [
  lookUp(`${BASE}/get-groups`, 'Get Datacust Groups', ADMINS, FindGroups, FoundGroups, findGroups),
  lookUp(
    `${BASE}/get-service-connectability`,
    'Get Datacust Service Connectability',
    ADMINS,
    CheckService,
    CheckedService,
    checkService,
  ),
  route(
    'GET',
    `${BASE}/applications`,
    operation(
      {
        summary: 'List Datacust Applications',
        query: groups.ApplicationQuery,
        answers: listOf(groups.Application),
        may: 'keymgr-users',
      },
      async ({ query, context }) => ok(await listApplications(context, query)),
    ),
  ),
]

const onGroups = containerRoutes(groupKind, {
  at: `${BASE}/groups`,
  noun: 'Datacust Group',
  answers: groups.DatacustGroup,
  query: groups.GroupQuery,
  actions: USUAL_ACTIONS,
})
const containers: readonly Route[] = [
  route(
    'POST',
    `${BASE}/add-groups`,
    operation(
      { summary: 'Add Datacust Groups', body: AddGroups, answers: AddedGroups, status: 201, may: ADMINS },
      async ({ body, context }) => created({ groups: await addGroups(context, body) }),
    ),
  ),
  ...onGroups.usual,
  onGroups.update('Update Datacust Group', groups.UpdateGroup, updateGroup),
  ending(
    'The records of the group and its keys are removed; the cloud keeps the keys.',
    onGroups.remove('Delete Datacust Group', removeGroup),
  ),
]

const USERS = { reads: 'keymgr-users', changes: 'keymgr-users' } as const
const AT_KEYS = `${BASE}/keys`
const onJobs = routesOn({ at: `${AT_KEYS}/jobs`, answers: DatacustKeyJob, ...USERS })
/** Jobs begin at once and continue after the response. */
const jobs: readonly Route[] = [
  beginningJob(onJobs.create('Create Datacust Key Job', CreateDatacustKeyJob, createKeyJob)),
  onJobs.get('Get Datacust Key Job', getKeyJob),
]

const onKeys = routesOn({ at: AT_KEYS, answers: bodies.DatacustKey, ...USERS })
const keys: readonly Route[] = [
  onKeys.list('List Datacust Keys', bodies.DatacustKeyQuery, listKeys),
  onKeys.create('Create Datacust Key', bodies.CreateDatacustKey, createKey),
  onKeys.create('Upload Datacust Key', bodies.UploadDatacustKey, uploadKey, `${BASE}/upload-key`),
  onKeys.get('Get Datacust Key', (context, id) => getKey(keyKind, context, id)),
  onKeys.tell('GET', 'passport', 'Get Datacust Key Passport', KeyPassport, versionedKeyPassport(keyKind)),
  onKeys.update('Update Datacust Key', bodies.UpdateDatacustKey, (context, id, body) =>
    act(context, 'update', id, body),
  ),
  ending(
    'Only the record here is removed; without a backup nothing of the key is left.',
    onKeys.remove('Delete Datacust Key', removeKeyRecord),
  ), // only the record, if the cloud has no such key
  ending(
    'The cloud can no longer decrypt with the key; a backup can be restored until it is deleted.',
    onKeys.act('delete', 'Destroy Datacust Key', deleteKey, bodies.DeleteAtCloud),
  ), // after a backup
  onKeys.act('restore', 'Restore Datacust Key', doing('restore')),
  onKeys.act('delete-backup', 'Delete Datacust Key Backup', doing('delete-backup')),
  onKeys.act('refresh', 'Refresh Datacust Key', doing('refresh')), // including its versions
  onKeys.act(
    'enable-auto-rotation',
    'Enable Datacust Key Rotation Job',
    enableAutoRotation,
    bodies.EnableDatacustAutoRotation,
  ),
  onKeys.act('disable-auto-rotation', 'Disable Datacust Key Rotation Job', disableAutoRotation),
]

const onVersions = versionRoutes(keyKind, {
  at: AT_KEYS,
  noun: 'Datacust Key Version',
  answers: DatacustVersion,
  query: DatacustVersionQuery,
  actions: { ...VERSION_ACTIONS, table: {} }, // the one action is the PATCH below
})
const versions: readonly Route[] = [
  ...onVersions.usual,
  onVersions.onKey.succeed('versions', 'Create Datacust Key Version', NewVersion, addVersion, DatacustVersion),
  onVersions.on.update('Update Datacust Key Version', UpdateDatacustVersion, (context, id, version, change) =>
    VERSION_ACTIONS.act(context, 'update', id, version, change),
  ),
]

const onReferences = routesOn({ at: `${BASE}/dkr`, answers: DatacustReference, ...USERS })
const dynamicReferences: readonly Route[] = [
  onReferences.list('List Datacust Dynamic References', DatacustReferenceQuery, references.listReferences),
  onReferences.create('Create Datacust Dynamic Reference', CreateDatacustReference, references.createReference),
  onReferences.get('Get Datacust Dynamic Reference', (context, id) => getKey(referenceKind, context, id)),
  onReferences.update('Update Datacust Dynamic Reference', UpdateDatacustReference, references.updateReference),
  ending(
    'Only the record here is removed; what the cloud has stays.',
    onReferences.remove('Delete Datacust Dynamic Reference', references.removeReference),
  ), // only the record
  onReferences.act('delete', 'Destroy Datacust Dynamic Reference', references.doing('delete')), // at the cloud
  onReferences.act('refresh', 'Refresh Datacust Dynamic Reference', references.doing('refresh')),
]

/** The keys of datacust, and where they live there. */
export const routes: readonly Route[] = [
  ...lookUps,
  ...containers,
  ...jobs, // before the keys: the router would read `jobs` as an id
  ...keys,
  ...versions,
  ...dynamicReferences,
  ...unfinishedWorkRoutes(NAME),
  ...synchronizationRoutes(`${BASE}/synchronization-jobs`, {
    source: { cloud_name: NAME },
    containerList: CONTAINER_LIST,
    noun: 'Synchronization',
  }),
]
