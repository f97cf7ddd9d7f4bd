import { KeyPassport } from '../../audit/passport/model.ts'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { getKey } from '../../cloud/keys/find-key.ts'
import { PublicKey } from '../../cloud/keys/model.ts'
import { versionedKeyPassport } from '../../cloud/keys/passport.ts'
import { allVersionsRoutes } from '../../cloud/keys/versions/all-versions.ts'
import { versionRoutes } from '../../cloud/keys/versions/version-routes.ts'
import { ending } from '../../http/danger.ts'
import type { BegunWork } from '../../http/begun-work.ts'
import { lookUp, routesOn } from '../../resource/routes.ts'
import { beginning, created, operation, route, type Route } from '../../http/operation.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { CLOUD_C_ACTIONS } from './actions.ts'
import { deleteKey, doing, updateKey } from './keys/act-on-key.ts'
import { disableAutoRotation, enableAutoRotation } from './keys/auto-rotation.ts'
import { createKey } from './keys/create-key.ts'
import { getPolicy, setPolicy } from './keys/key-policy.ts'
import { keyKind } from './keys/kind.ts'
import { listKeys } from './keys/list-keys.ts'
import * as bodies from './keys/model.ts'
import { uploadKey } from './keys/upload-key.ts'
import { findLocations, findProjects, findRings, findRoles } from './look-ups/look-ups.ts'
import * as containers from './projects/model.ts'
import { projectKind } from './projects/kind.ts'
import { addProject, deleteProject, updateProject } from './projects/projects.ts'
import { addRings } from './rings/add-rings.ts'
import { ringKind } from './rings/kind.ts'
import { removeRing, updateRing } from './rings/rings.ts'
import { deleteVersion, VERSION_ACTIONS } from './versions/act-on-version.ts'
import { VERSION_OPERATIONS } from './bulk.ts'
import { CloudCVersion, CloudCVersionQuery, ReimportVersion } from './versions/model.ts'
import { addVersion } from './versions/new-version.ts'
import { publicKeyOf } from './versions/public-key.ts'
import { reimport } from './versions/reimport-version.ts'
import { CONTAINER_LIST, NAME } from './name.ts'

const BASE = '/v1/keymgr/cloud-c'

const { FindLocations, FindProjects, FindRings, FoundLocations, FoundProjects, FoundRings, FoundRoles } = containers
/** Resources that a connection reaches, one page, read from the cloud now. */
const lookUps: readonly Route[] = [
  lookUp(`${BASE}/get-projects`, 'Get Cloud-c Projects', 'keymgr-admins', FindProjects, FoundProjects, findProjects),
  lookUp(
    `${BASE}/get-locations`,
    'Get Cloud-c Locations',
    'keymgr-admins',
    FindLocations,
    FoundLocations,
    findLocations,
  ),
  lookUp(`${BASE}/get-key-rings`, 'Get Cloud-c Key Rings', 'keymgr-admins', FindRings, FoundRings, findRings),
  lookUp(`${BASE}/get-iam-roles`, 'Get Cloud-c IAM Roles', 'keymgr-admins', FindLocations, FoundRoles, findRoles),
]

const onProjects = containerRoutes(projectKind, {
  at: `${BASE}/projects`,
  noun: 'Cloud-c Project',
  answers: containers.CloudCProject,
  query: containers.ProjectQuery,
  actions: CLOUD_C_ACTIONS,
})
/** Rings get the permissions of their project when they are added; later changes of the project do not affect them. */
const projects: readonly Route[] = [
  ...onProjects.usual,
  onProjects.create('Add Cloud-c Project', containers.AddProject, addProject), // without its rings
  onProjects.update('Update Cloud-c Project', containers.UpdateProject, updateProject),
  ending(
    'Only the record here is removed; what the cloud has stays.',
    onProjects.remove('Delete Cloud-c Project', deleteProject),
  ),
]

const onRings = containerRoutes(ringKind, {
  at: `${BASE}/key-rings`,
  noun: 'Cloud-c Key Ring',
  answers: containers.CloudCRing,
  query: containers.RingQuery,
  actions: CLOUD_C_ACTIONS,
})
const { AddRings, AddedRings } = containers
const rings: readonly Route[] = [
  route(
    'POST',
    `${BASE}/add-key-rings`,
    operation(
      { summary: 'Add Cloud-c Key Rings', body: AddRings, answers: AddedRings, status: 201, may: 'keymgr-admins' },
      async ({ body, context }) => created({ key_rings: await addRings(context, body) }),
    ),
  ),
  ...onRings.usual,
  onRings.update('Update Cloud-c Key Ring', containers.UpdateRing, updateRing),
  onRings.remove('Remove Cloud-c Key Ring', removeRing, { tail: 'remove-key-ring' }),
]

const AT_KEYS = `${BASE}/keys`
const onKeys = routesOn({ at: AT_KEYS, answers: bodies.CloudCKey, reads: 'keymgr-users', changes: 'keymgr-users' })
const { CloudCKeyPolicy, EnableCloudCAutoRotation, SetCloudCKeyPolicy } = bodies
/** A key whose first version is not usable yet. */
const CREATION: BegunWork = {
  read: `${AT_KEYS}/{id}`,
  status: 'create_status',
  pending: ['in_progress'],
  failed: ['failed'],
}
const keys: readonly Route[] = [
  onKeys.list('List Cloud-c Keys', bodies.CloudCKeyQuery, listKeys),
  // `import_only`: the key has no first version
  beginning(CREATION, onKeys.create('Create Cloud-c Key', bodies.CreateCloudCKey, createKey)),
  beginning(CREATION, onKeys.create('Upload Cloud-c Key', bodies.UploadCloudCKey, uploadKey, `${BASE}/upload-key`)),
  onKeys.get('Get Cloud-c Key', (context, id) => getKey(keyKind, context, id)),
  onKeys.tell('GET', 'passport', 'Get Cloud-c Key Passport', KeyPassport, versionedKeyPassport(keyKind)),
  onKeys.update('Update Cloud-c Key', bodies.UpdateCloudCKey, updateKey),
  ending(
    'The key is removed with all its versions, which are destroyed already.',
    onKeys.remove('Delete Cloud-c Key', deleteKey),
  ), // whose versions are all deleted
  onKeys.tell('GET', 'policy', 'Get Cloud-c Key Policy', CloudCKeyPolicy, getPolicy),
  onKeys.tell('POST', 'policy', 'Set Cloud-c Key Policy', CloudCKeyPolicy, setPolicy, { body: SetCloudCKeyPolicy }),
  onKeys.act('refresh', 'Refresh Cloud-c Key', doing('refresh')), // including its versions
  onKeys.act('enable-auto-rotation', 'Enable Cloud-c Key Rotation Job', enableAutoRotation, EnableCloudCAutoRotation),
  onKeys.act('disable-auto-rotation', 'Disable Cloud-c Key Rotation Job', disableAutoRotation),
]

const VERSION = 'Cloud-c Key Version'
const onVersions = versionRoutes(keyKind, {
  at: AT_KEYS,
  noun: VERSION,
  answers: CloudCVersion,
  query: CloudCVersionQuery,
  actions: VERSION_ACTIONS,
})
const versions: readonly Route[] = [
  ...onVersions.usual,
  // The new version becomes the primary of a key that encrypts.
  onVersions.onKey.succeed('versions', 'Create Cloud-c Key Version', bodies.NewCloudCVersion, addVersion),
  onVersions.on.remove('Delete Cloud-c Key Version', deleteVersion), // its material is destroyed or was never imported
  onVersions.on.act('re-import', 'Re-import Cloud-c Key Version', reimport, ReimportVersion),
  onVersions.on.tell('POST', 'download-public-key', 'Download Cloud-c Public Key', PublicKey, publicKeyOf),
]

/** The keys of cloud-c and their containers. */
export const routes: readonly Route[] = [
  ...lookUps,
  ...projects,
  ...rings,
  ...keys,
  ...versions,
  ...unfinishedWorkRoutes(NAME),
  ...allVersionsRoutes(keyKind, VERSION_ACTIONS, VERSION_OPERATIONS, {
    at: `${BASE}/update-all-versions-jobs`,
    noun: VERSION,
  }),
  ...synchronizationRoutes(`${BASE}/synchronization-jobs`, {
    source: { cloud_name: NAME },
    containerList: CONTAINER_LIST,
    noun: 'Synchronization',
  }),
]
