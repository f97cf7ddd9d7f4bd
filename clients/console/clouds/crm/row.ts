import { callTo } from '../../calls.ts'
import { described, type FieldRow } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { recordsAt } from '../../service.ts'
import { DATES, LOCAL_KEY } from '../choices.ts'
import type { CloudRow } from '../row.ts'
import { ACTIONS, stateOf, TONES, type CrmSecret } from './actions.ts'
import { CONNECTION } from './connection.ts'
import { certificates, CONTAINERS, namedCredentials, organizations, type CrmOrganization } from './containers.ts'
import {
  createCrmTenantSecret,
  listCrmTenantSecrets,
  uploadCrmCacheOnlyKey,
  uploadCrmTenantSecret,
} from './described.ts'
import { ENDPOINTS, endpointsOf } from './endpoints.ts'
import { JOBS } from './jobs.ts'
import { REPORTS } from './reports.ts'
import { RESOURCES } from './resources.ts'

const SECRET: readonly FieldRow[] = [
  { name: 'organization_id', label: 'Organization', choices: organizations },
  { name: 'type', label: 'Type', initial: 'Data' },
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description' },
]
const CERTIFICATE: FieldRow = {
  ...{ name: 'certificate_id', label: 'Certificate', choices: certificates, dependsOn: ['organization_id'] },
}

export const crm: CloudRow<CrmSecret, CrmOrganization> = {
  name: 'crm',
  title: 'Crm',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  jobs: JOBS,
  endpoints: [ENDPOINTS],
  more: RESOURCES,
  keys: {
    place: 'Organization',
    uri: 'keymgr:crm-key',
    ...recordsAt('/v1/keymgr/crm/keys'),
    summary: (secret) => ({
      ...{ id: secret.id, uri: secret.uri, name: secret.name, createdAt: secret.createdAt, ...stateOf(secret) },
      ...{ place: secret.organization_name, spec: secret.crm_param.type, expiresAt: secret.expires_at },
    }),
    attributes: ({ crm_param: cloud, ...secret }) => [
      ['Id at the cloud', cloud.crm_id],
      ['Source', cloud.source],
      ['Version', String(cloud.version)],
      ['Derivation', cloud.key_derivation_mode],
      ['Description', cloud.description],
      ['Material from', secret.key_material_origin],
      ['Local key', secret.local_key_name],
      ['Certificate id', secret.certificate_id],
      ['Key endpoint id', secret.endpoint_id],
      ['Identifier for the cloud (kid)', cloud.RemoteKeyIdentifier],
      ['Given out', secret.is_served === undefined ? undefined : secret.is_served ? 'Yes' : 'No'],
      ['A backup is kept', secret.backup ? 'Yes' : undefined],
      ['Made at the cloud', cloud.created_date],
      ['Fault', secret.error_msg],
    ],
    versions: () => Promise.resolve([]),
    common: {
      ...{ name: 'name', knowsRotation: false },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: filtersOf(listCrmTenantSecrets, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'organization_name', label: 'Organization', isFirst: true },
      { name: 'type', label: 'Type', values: createCrmTenantSecret.type.words, isFirst: true },
      { name: 'status', label: 'State', values: Object.keys(TONES), isFirst: true },
      { name: 'source', label: 'Source', values: ['HSM', 'UPLOADED', 'REMOTE'] },
      { name: 'version', label: 'Version' },
      { name: 'key_material_origin', label: 'Material from' },
      { name: 'local_key_id', label: 'Local key id' },
      { name: 'gone', label: 'Gone at the cloud' },
      ...DATES,
    ]),
    states: Object.entries(TONES).map(([status, tone]) => ({
      title: status,
      tone,
      filters: { status, gone: 'false' },
    })),
    actions: ACTIONS,
    bulk: [],
    ways: [
      {
        ...{ name: 'upload', title: 'Upload to crm' },
        about: 'Wraps a local AES key of 256 bits for a certificate of the organization.',
        fields: described(uploadCrmTenantSecret, [
          ...SECRET,
          LOCAL_KEY,
          CERTIFICATE,
          { name: 'key_derivation_mode', label: 'Derivation', initial: 'PBKDF2' },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/crm/keys/upload', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in crm', about: 'The cloud makes the material itself.' },
        fields: described(createCrmTenantSecret, SECRET),
        call: (body) => callTo('post', '/v1/keymgr/crm/keys', { body }),
      },
      {
        ...{ name: 'cache-only', title: 'Keep it here' },
        about: 'Crm fetches a local AES key of 256 bits when it needs it, and never stores it.',
        fields: described(uploadCrmCacheOnlyKey, [
          ...SECRET,
          { name: 'source_key_identifier', label: 'Local key', hint: 'Name or id of the key that is fetched.' },
          CERTIFICATE,
          {
            ...{ name: 'endpoint_id', label: 'Key endpoint', dependsOn: ['organization_id'] },
            choices: endpointsOf,
          },
          {
            ...{ name: 'named_credential_id', label: 'Named credential', dependsOn: ['organization_id'] },
            ...{ choices: namedCredentials, hint: 'That leads to the key endpoint.' },
          },
          {
            name: 'crm_param/RemoteKeyIdentifier',
            label: 'Identifier for the cloud (kid)',
            hint: 'The id without it.',
          },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/crm/upload-cache-only-key', { body }),
      },
    ],
  },
}
