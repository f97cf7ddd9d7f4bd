import { createCloudAKey, listCloudAKeys, uploadCloudAKey } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { described, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { firstOf, read, recordsAt } from '../../service.ts'
import type { Tone } from '../../words/states.tsx'
import { CLOUD_FILTERS, DATES, LOCAL_KEY } from '../choices.ts'
import type { CloudRow, VersionView } from '../row.ts'
import type { Use } from '../uses.ts'
import { CLOUD_A_ACTIONS, CLOUD_A_BULK, nameOf, type CloudAKey } from './actions.ts'
import { CONNECTION } from './connection.ts'
import { CONTAINERS, kmsNames, regionsOf, type Kms } from './containers.ts'
import { JOBS } from './jobs.ts'
import { KEY_STORES, notConnected } from './key-stores.ts'
import { REPORTS } from './reports.ts'
import { expiryNotice } from '../notices.ts'

const TONES: Readonly<Record<string, Tone>> = {
  Enabled: 'good',
  Disabled: 'quiet',
  PendingImport: 'waiting',
  PendingDeletion: 'bad',
  PendingReplicaDeletion: 'bad',
  Unavailable: 'bad',
}
const toneOf = (state: string): Tone => TONES[state] ?? 'quiet'
const stateOf = ({ gone, cloud_a_param: { KeyState } }: CloudAKey): string => (gone ? 'Gone' : KeyState)

const PLACE: readonly FieldRow[] = [
  { name: 'kms', label: 'KMS', choices: kmsNames },
  { name: 'region', label: 'Region', choices: ({ kms }) => regionsOf(kms), dependsOn: ['kms'] },
]
const SPEC = 'cloud_a_param/CustomerMasterKeySpec'
const USAGE = 'cloud_a_param/KeyUsage'
const PARAM: readonly FieldRow[] = [
  { name: 'cloud_a_param/Alias', label: 'Alias', hint: 'Without the prefix alias/.' },
  { name: 'cloud_a_param/Description', label: 'Description' },
  { name: USAGE, label: 'Usage' },
  { name: 'cloud_a_param/MultiRegion', label: 'Can be replicated to other regions' },
]

const named = (kind: string, all: readonly (string | undefined)[]): readonly Use[] => {
  const names = all.filter((name) => name !== undefined)
  return names.length === 0 ? [] : [{ kind, count: names.length, names }]
}

const FILTERS = filtersOf(listCloudAKeys, [
  { name: 'alias', label: 'Alias', isFirst: true },
  { name: 'kms', label: 'KMS', isFirst: true },
  { name: 'region', label: 'Region', isFirst: true },
  { name: 'key_state', label: 'State', values: Object.keys(TONES), isFirst: true },
  { name: 'enabled', label: 'Enabled' },
  { name: 'customer_master_key_spec', label: 'Spec', values: createCloudAKey[SPEC].words },
  { name: 'key_usage', label: 'Usage', values: createCloudAKey[USAGE].words },
  { name: 'origin', label: 'Origin' },
  { name: 'key_manager', label: 'Managed by' },
  { name: 'keyid', label: 'Key id of the cloud' },
  { name: 'arn', label: 'ARN' },
  { name: 'account_id', label: 'Account' },
  { name: 'cloud_name', label: 'Partition' },
  { name: 'tags', label: 'Tags' },
  { name: 'multi_region', label: 'Multi-region' },
  { name: 'multi_region_key_type', label: 'Multi-region type' },
  { name: 'custom_key_store_id', label: 'Custom key store' },
  { name: 'linked_state', label: 'Linked' },
  { name: 'blocked', label: 'Blocked' },
  { name: 'rotated_from', label: 'Rotated from' },
  { name: 'kms_id', label: 'KMS id' },
  { name: 'expires_before', label: 'Expires before' },
  { name: 'local_key_id', label: 'Local key id' },
  ...CLOUD_FILTERS,
  ...DATES,
])

/** A key's versions, newest first: each is a separate key, except where one local key is behind all of them. */
async function versionsOf(key: CloudAKey, signal: AbortSignal): Promise<readonly VersionView[]> {
  const { resources } = await read('/v1/keymgr/cloud-a/keys/{id}/versions', {
    ...{ path: { id: key.id }, query: { limit: 100 }, signal },
  })
  return resources
    .map(({ id, version, is_primary, state, created }) => ({
      ...{ id: `${id} ${version}`, keyId: id, uri: key.uri.replace(key.id, id), state, tone: toneOf(state) },
      ...{ createdAt: created, title: `Version ${version}${is_primary ? ', latest' : ''}` },
    }))
    .reverse()
}

export const cloudA: CloudRow<CloudAKey, Kms> = {
  name: 'cloud-a',
  title: 'Cloud-a',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  more: [expiryNotice('cloud-a', '/v1/keymgr/settings/cloud_a_key_expiry_notification')],
  jobs: JOBS,
  endpoints: [KEY_STORES],
  notConnected,
  keys: {
    place: 'KMS',
    uri: 'keymgr:cloud-a-key',
    ...recordsAt('/v1/keymgr/cloud-a/keys'),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, name: nameOf(key), state: stateOf(key), tone: toneOf(stateOf(key)) },
      ...{ place: `${key.kms} · ${key.region}`, spec: key.cloud_a_param.CustomerMasterKeySpec },
      ...{ createdAt: key.createdAt, expiresAt: key.cloud_a_param.ValidTo },
      deletedAt: key.deletion_date,
    }),
    attributes: (key) => [
      ['Key id of the cloud', key.cloud_a_param.KeyID],
      ['ARN', key.cloud_a_param.Arn],
      ['Aliases', key.cloud_a_param.Alias.join(', ')],
      ['Description', key.cloud_a_param.Description],
      ['Usage', key.cloud_a_param.KeyUsage],
      ['Origin', key.cloud_a_param.Origin],
      ['Material from', key.key_material_origin],
      ['Local key', key.local_key_name],
      ['Account', key.cloud_a_param.AccountId],
      ['Multi-region', key.cloud_a_param.MultiRegion === true ? 'Yes' : 'No'],
      ['Tags', key.cloud_a_param.Tags.map(({ TagKey, TagValue }) => `${TagKey}=${TagValue}`).join(', ')],
      ['Custom key store', key.custom_key_store_id],
      ['Deletion', key.deletion_date],
      ['Rotation status', key.rotation_status],
      ['Job configuration', key.labels?.job_config_id],
    ],
    versions: versionsOf,
    uses: ({ cloud_a_param: { Alias, MultiRegionConfiguration: regions } }) => [
      ...named(
        'alias',
        Alias.map((alias) => alias.replace(/^alias\//, '')),
      ),
      ...named(
        'replica',
        (regions?.ReplicaKeys ?? []).map(({ Region }) => Region),
      ),
    ],
    policy: ({ cloud_a_param: { Policy } }) =>
      Promise.resolve(Policy === undefined ? undefined : JSON.stringify(Policy, undefined, 2)),
    common: {
      ...{ name: 'alias', label: 'tags', expires: 'expires_before', knowsRotation: false },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: FILTERS,
    states: Object.entries(TONES).map(([state, tone]) => ({
      ...{ title: state, tone },
      filters: { key_state: state, gone: 'false' },
    })),
    actions: CLOUD_A_ACTIONS,
    bulk: CLOUD_A_BULK,
    ways: [
      {
        ...{ name: 'upload', title: 'Upload to cloud-a', about: 'Brings the material of a local key into the cloud.' },
        fields: described(uploadCloudAKey, [
          ...PLACE,
          LOCAL_KEY,
          { name: SPEC, label: 'Spec', hint: 'Of the local key; AES-256 goes without.' },
          ...PARAM,
          { name: 'key_expiration', label: 'The material expires' },
          {
            ...{ name: 'cloud_a_param/ValidTo', label: 'Expires on', isRequired: true, hint: 'At midnight, UTC.' },
            when: ({ key_expiration }) => key_expiration === 'true',
          },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-a/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in cloud-a', about: 'The cloud makes the material itself.' },
        fields: described(createCloudAKey, [...PLACE, { name: SPEC, label: 'Spec' }, ...PARAM]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-a/keys', { body }),
      },
    ],
    expiring: async (expires_before, signal) => {
      const query = { expires_before, gone: 'false' }
      const { total, resources } = await firstOf('/v1/keymgr/cloud-a/keys', query, signal)
      const items = resources.flatMap((key) => {
        const time = key.cloud_a_param.ValidTo
        return time === undefined ? [] : [{ id: key.id, title: nameOf(key), time }]
      })
      return { items, total }
    },
  },
}
