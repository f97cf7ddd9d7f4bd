import { createCloudBKey, listCloudBKeys, uploadCloudBKey } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { described, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { firstOf, recordsAt } from '../../service.ts'
import { CLOUD_FILTERS, DATES } from '../choices.ts'
import { CLOUD_B_ACTIONS, CLOUD_B_BULK, nameOf, stateOf, toneOf, type CloudBKey } from './actions.ts'
import type { CloudRow } from '../row.ts'
import { CONNECTION } from './connection.ts'
import { CONTAINERS, vaults, type Vault } from './containers.ts'
import { REPORTS } from './reports.ts'
import { RESOURCES } from './resources.ts'

const PLACE: readonly FieldRow[] = [
  { name: 'key_vault', label: 'Vault', choices: vaults },
  { name: 'key_name', label: 'Name', hint: 'A name that is there already gets its next version.' },
]
const isEc = (kty = ''): boolean => kty.startsWith('EC')

const LATEST = { version: '-1' }

export const cloudB: CloudRow<CloudBKey, Vault> = {
  name: 'cloud-b',
  title: 'Cloud-b',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  more: RESOURCES,
  jobs: { operations: { 'key-backup': 'Backup of keys' } },
  keys: {
    place: 'Vault',
    uri: 'keymgr:cloud-b-key',
    ...recordsAt('/v1/keymgr/cloud-b/keys'),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, name: nameOf(key), state: stateOf(key), tone: toneOf(stateOf(key)) },
      ...{ place: `${key.key_vault} · ${key.region}`, createdAt: key.createdAt, expiresAt: key.azure_expire_at },
      deletedAt: key.purge_date,
      spec: `${key.cloud_b_param.key.kty} ${key.cloud_b_param.key.crv ?? key.key_size ?? ''}`.trim(),
    }),
    attributes: (key) => [
      ['Key id of the cloud', key.cloud_b_param.key.kid],
      ['Version', key.version],
      ['Latest version', key.is_latest ? 'Yes' : 'No'],
      ['Operations', key.cloud_b_param.key.key_ops.join(', ')],
      ['Material from', key.key_material_origin],
      ['Local key', key.local_key_name],
      ['Tenant', key.tenant],
      [
        'Tags',
        Object.entries(key.cloud_b_param.tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
      ],
      ['Last backup', key.backup_at],
      ['Deleted', key.deletion_date],
      ['Purged', key.purge_date],
    ],
    versions: async (key, signal) => {
      const query = { key_name: key.key_name, key_vault_id: key.key_vault_id, limit: 100, sort: '-createdAt' }
      const { resources } = await firstOf('/v1/keymgr/cloud-b/keys', query, signal)
      return resources.map((version) => ({
        ...{
          id: version.id,
          keyId: version.id,
          uri: version.uri,
          state: stateOf(version),
          tone: toneOf(stateOf(version)),
        },
        ...{ createdAt: version.azure_created_at, title: `Version ${version.version.slice(0, 8)}` },
      }))
    },
    common: {
      ...{ name: 'key_name', label: 'tags', expires: 'expires_before', knowsRotation: false },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: filtersOf(listCloudBKeys, [
      { name: 'key_name', label: 'Name', isFirst: true },
      { name: 'key_vault', label: 'Vault', isFirst: true },
      { name: 'status', label: 'Status', isFirst: true },
      { name: 'enabled', label: 'Enabled' },
      { name: 'kty', label: 'Type' },
      {
        name: 'key_ops',
        label: 'Operation',
      },
      { name: 'version', label: 'Version (-1 for the latest)' },
      { name: 'region', label: 'Region' },
      { name: 'tenant', label: 'Tenant' },
      { name: 'tags', label: 'Tags' },
      { name: 'cloud_name', label: 'Partition', values: 'text' },
      { name: 'deleted', label: 'Deleted' },
      { name: 'backup', label: 'Has a backup' },
      { name: 'local_key_id', label: 'Local key id' },
      { name: 'key_vault_id', label: 'Vault id' },
      { name: 'expires_before', label: 'Expires before' },
      ...CLOUD_FILTERS,
      ...DATES,
    ]),
    once: LATEST,
    states: [
      { title: 'Enabled', tone: 'good', filters: { ...LATEST, status: 'ACTIVE', enabled: 'true' } },
      { title: 'Disabled', tone: 'quiet', filters: { ...LATEST, status: 'ACTIVE', enabled: 'false' } },
      { title: 'Soft-deleted', tone: 'bad', filters: { ...LATEST, status: 'SOFT-DELETED' } },
    ],
    actions: CLOUD_B_ACTIONS,
    bulk: CLOUD_B_BULK,
    ways: [
      {
        ...{ name: 'upload', title: 'Upload to cloud-b', about: 'Brings the material of a local key into a vault.' },
        fields: described(uploadCloudBKey, [
          ...PLACE,
          {
            ...{ name: 'local_key_identifier', label: 'Local key', isRequired: true },
            hint: 'Name or id of a local RSA or EC key.',
          },
          { name: 'hsm', label: 'Keep it in hardware' },
          {
            ...{ name: 'kek_kid', label: 'Key-exchange key', hint: 'Its id at the vault; for keys in hardware.' },
            when: ({ hsm }) => hsm === 'true',
          },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-b/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in cloud-b', about: 'The vault makes the material itself.' },
        fields: described(createCloudBKey, [
          ...PLACE,
          { name: 'cloud_b_param/kty', label: 'Type', initial: 'RSA' },
          {
            ...{ name: 'cloud_b_param/crv', label: 'Curve' },
            when: (values) => isEc(values['cloud_b_param/kty']),
          },
          {
            ...{ name: 'cloud_b_param/key_size', label: 'Size (bits)' },
            when: (values) => !isEc(values['cloud_b_param/kty']),
          },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-b/keys', { body }),
      },
    ],
    expiring: async (expires_before, signal) => {
      const query = { ...LATEST, expires_before, gone: 'false', sort: '-azure_expire_at' }
      const { total, resources } = await firstOf('/v1/keymgr/cloud-b/keys', query, signal)
      const items = resources.flatMap(({ id, key_name, azure_expire_at: time }) =>
        time === undefined ? [] : [{ id, title: key_name, time }],
      )
      return { items, total }
    },
  },
}
