import { KeyPassport } from '../../audit/passport/model.ts'
import { USUAL_ACTIONS } from '../../cloud/containers/actions.ts'
import { containerRoutes } from '../../cloud/containers/container-routes.ts'
import { getKey } from '../../cloud/keys/find-key.ts'
import { cloudKeyPassport } from '../../cloud/keys/passport.ts'
import { ending } from '../../http/danger.ts'
import type { Route } from '../../http/operation.ts'
import { lookUp, routesOn } from '../../resource/routes.ts'
import { unfinishedWorkRoutes } from '../../work/sagas/unfinished-work.ts'
import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { createCertificate, listCertificates, removeCertificate } from './certificates/certificates.ts'
import { certificateKind } from './certificates/kind.ts'
import { CreateCrmCertificate, CrmCertificate, CrmCertificateQuery } from './certificates/model.ts'
import { endpoints } from './key-endpoints/endpoints.ts'
import { issuers } from './issuers/issuers.ts'
import { act, doing } from './keys/act-on-secret.ts'
import { deleteBackup } from './keys/backups.ts'
import { createSecret, uploadSecret } from './keys/create-secret.ts'
import { secretKind } from './keys/kind.ts'
import { listSecrets } from './keys/list-secrets.ts'
import * as bodies from './keys/model.ts'
import { uploadCacheOnlyKey } from './keys/register-key.ts'
import { CONTAINER_LIST, NAME } from './name.ts'
import { organizationKind } from './organizations/kind.ts'
import * as organizations from './organizations/model.ts'
import {
  addOrganization,
  findNamedCredentials,
  findOrganization,
  removeOrganization,
  updateOrganization,
} from './organizations/organizations.ts'

const BASE = '/v1/keymgr/crm'
const ADMINS = 'keymgr-admins'

const { AddOrganization, FindOrganization, FoundOrganization, UpdateOrganization } = organizations
const { FindNamedCredentials, FoundNamedCredentials } = organizations
const onOrganizations = containerRoutes(organizationKind, {
  at: `${BASE}/organizations`,
  noun: 'Crm Organization',
  answers: organizations.CrmOrganization,
  query: organizations.OrganizationQuery,
  actions: USUAL_ACTIONS,
})
const containers: readonly Route[] = [
  lookUp(
    `${BASE}/get-organizations`,
    'Get Crm Organizations',
    ADMINS,
    FindOrganization,
    FoundOrganization,
    findOrganization,
  ),
  onOrganizations.create('Add Crm Organization', AddOrganization, addOrganization, `${BASE}/add-organizations`),
  ...onOrganizations.usual,
  onOrganizations.update('Update Crm Organization', UpdateOrganization, updateOrganization),
  ending(
    'The records of the organization and its keys are removed; the cloud keeps the keys.',
    onOrganizations.remove('Delete Crm Organization', removeOrganization),
  ),
  lookUp(
    `${BASE}/get-named-credentials`,
    'Get Crm Named Credentials',
    'keymgr-users',
    FindNamedCredentials,
    FoundNamedCredentials,
    findNamedCredentials,
  ),
]

const USERS = { reads: 'keymgr-users', changes: 'keymgr-users' } as const
const onCertificates = routesOn({ at: `${BASE}/certificates`, answers: CrmCertificate, ...USERS })
const certificates: readonly Route[] = [
  onCertificates.list('List Crm Certificates', CrmCertificateQuery, listCertificates),
  onCertificates.create('Create Crm Certificate', CreateCrmCertificate, createCertificate),
  onCertificates.get('Get Crm Certificate', (context, id) => getKey(certificateKind, context, id)),
  ending(
    'Only the record here is removed; what the cloud has stays.',
    onCertificates.remove('Delete Crm Certificate', removeCertificate),
  ), // only the record
]

const onSecrets = routesOn({ at: `${BASE}/keys`, answers: bodies.CrmSecret, ...USERS })
const secrets: readonly Route[] = [
  onSecrets.list('List Crm Tenant Secrets', bodies.CrmSecretQuery, listSecrets),
  onSecrets.create('Create Crm Tenant Secret', bodies.CreateCrmSecret, createSecret),
  onSecrets.create('Upload Crm Tenant Secret', bodies.UploadCrmSecret, uploadSecret, `${BASE}/keys/upload`),
  onSecrets.create(
    'Upload Crm Cache Only Key',
    bodies.UploadCacheOnlyKey,
    uploadCacheOnlyKey,
    `${BASE}/upload-cache-only-key`,
  ),
  onSecrets.get('Get Crm Tenant Secret', (context, id) => getKey(secretKind, context, id)),
  onSecrets.tell('GET', 'passport', 'Get Crm Tenant Secret Passport', KeyPassport, cloudKeyPassport(secretKind)),
  onSecrets.update('Update Crm Tenant Secret', bodies.UpdateCrmSecret, (context, id, body) =>
    act(context, 'update', id, body),
  ),
  onSecrets.act('activate', 'Activate Crm Tenant Secret', doing('activate')), // only a cache-only key
  ending(
    'The cloud can no longer decrypt with it; a backup can be imported again until it is deleted.',
    onSecrets.act('destroy', 'Destroy Crm Tenant Secret', doing('destroy')),
  ),
  onSecrets.act('import', 'Import Crm Tenant Secret', doing('import')), // from its backup
  onSecrets.act('delete-backup', 'Delete Crm Tenant Secret Backup', deleteBackup),
]

const source = { cloud_name: NAME }
/** Tenant secrets and certificates of organizations, and how the cloud fetches keys that stay here. */
export const routes: readonly Route[] = [
  ...containers,
  ...certificates,
  ...secrets,
  ...endpoints.routes,
  ...issuers.routes,
  ...unfinishedWorkRoutes(NAME),
  ...synchronizationRoutes(`${BASE}/keys/synchronization-jobs`, {
    source,
    containerList: CONTAINER_LIST,
    noun: 'Synchronization',
  }),
  ...synchronizationRoutes(`${BASE}/certificates/synchronization-jobs`, {
    source: { ...source, of: 'certificates' },
    containerList: CONTAINER_LIST,
    noun: 'Certificate Synchronization',
  }),
]
