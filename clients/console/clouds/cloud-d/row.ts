import { createCloudDKey, listCloudDKeys, uploadCloudDKey } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { described, type Choice, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { recordsAt } from '../../service.ts'
import { CLOUD_FILTERS, DATES } from '../choices.ts'
import { CLOUD_D_ACTIONS, CLOUD_D_BULK, stateOf, toneOf, TONES, type CloudDKey } from './actions.ts'
import { CLOUD_D_VERSION_ACTIONS, versionsOf } from './version-actions.ts'
import type { CloudRow } from '../row.ts'
import { CONNECTION } from './connection.ts'
import { compartments, CONTAINERS, vaults, type CloudDVault } from './containers.ts'
import { EXTERNAL_VAULTS, EXTERNAL_WAY } from './external.ts'
import { REPORTS } from './reports.ts'

const vaultChoices = async (): Promise<readonly Choice[]> =>
  (await vaults()).map(({ id, name, region }) => ({ value: id, label: `${name} (${region})` }))
const PLACE: readonly FieldRow[] = [
  { name: 'vault', label: 'Vault', choices: vaultChoices },
  { name: 'compartment_id', label: 'Compartment', choices: compartments },
  { name: 'name', label: 'Name' },
  { name: 'protection_mode', label: 'Protection', initial: 'HSM' },
]

const tagsOf = (tags: Readonly<Record<string, unknown>>): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')

export const cloudD: CloudRow<CloudDKey, CloudDVault> = {
  name: 'cloud-d',
  title: 'Cloud-d',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  endpoints: [EXTERNAL_VAULTS],
  keys: {
    place: 'Vault',
    uri: 'keymgr:cloud-d-key',
    ...recordsAt('/v1/keymgr/cloud-d/keys'),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, name: key.cloud_d_params.display_name, createdAt: key.createdAt },
      ...{ state: stateOf(key), tone: toneOf(stateOf(key)), place: `${key.cloud_d_params.vault_name} · ${key.region}` },
      spec: `${key.cloud_d_params.algorithm} ${key.cloud_d_params.length * 8}`,
      deletedAt: key.cloud_d_params.time_of_deletion,
      isRotated: key.version_count > 1,
    }),
    attributes: ({ cloud_d_params: cloud, ...key }) => [
      ['Id at the cloud', cloud.key_id],
      ['Protection', cloud.protection_mode],
      ['Current version', cloud.current_key_version],
      ['Versions', String(key.version_count)],
      ['Material from', key.key_material_origin],
      ['Local key', key.local_key_name],
      ['Tenancy', key.tenancy],
      ['Compartment id', cloud.compartment_id],
      ['Tags', tagsOf(cloud.freeform_tags)],
      [
        'Defined tags',
        Object.entries(cloud.defined_tags)
          .map(([namespace, tags]) => `${namespace}: ${tagsOf(tags)}`)
          .join('; '),
      ],
      ['Linked', key.hyok_key_params && (key.hyok_key_params.linked_state ? 'Yes' : 'No')],
      ['Policy', key.hyok_key_params?.policy],
      ['Deletion', cloud.time_of_deletion],
      ['Backup', key.backup_at],
      ['Made at the cloud', cloud.time_created],
      ['Fault', key.error],
    ],
    versions: versionsOf,
    common: {
      ...{ name: 'display_name', knowsRotation: true },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: filtersOf(listCloudDKeys, [
      { name: 'display_name', label: 'Name', isFirst: true },
      { name: 'vault_id', label: 'Vault', isFirst: true },
      { name: 'lifecycle_state', label: 'State', values: Object.keys(TONES), isFirst: true },
      { name: 'algorithm', label: 'Algorithm', values: createCloudDKey.algorithm.words },
      { name: 'length', label: 'Length in bytes' },
      { name: 'protection_mode', label: 'Protection', values: ['HSM', 'SOFTWARE', 'EXTERNAL'] },
      { name: 'tenancy', label: 'Tenancy' },
      { name: 'region', label: 'Region' },
      { name: 'compartment_id', label: 'Compartment id' },
      { name: 'key_id', label: 'Id at the cloud' },
      { name: 'local_key_id', label: 'Local key id' },
      { name: 'linked_state', label: 'Linked' },
      { name: 'blocked', label: 'Blocked' },
      ...CLOUD_FILTERS,
      ...DATES,
    ]),
    states: Object.entries(TONES).map(([state, tone]) => ({
      ...{ title: state, tone },
      filters: { lifecycle_state: state, gone: 'false' },
    })),
    actions: CLOUD_D_ACTIONS,
    versionActions: CLOUD_D_VERSION_ACTIONS,
    bulk: CLOUD_D_BULK,
    ways: [
      {
        ...{
          name: 'upload',
          title: 'Upload to cloud-d',
          about: 'Brings the material of a local AES or RSA key into the first version of a new key.',
        },
        fields: described(uploadCloudDKey, [
          ...PLACE,
          { name: 'source_key_identifier', label: 'Local key', hint: 'Name or id of the key that is uploaded.' },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-d/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in cloud-d', about: 'The cloud makes the material itself.' },
        fields: described(createCloudDKey, [
          ...PLACE,
          { name: 'algorithm', label: 'Algorithm', initial: 'AES' },
          { name: 'length', label: 'Length in bytes', hint: 'AES 16, 24, 32; RSA 256, 384, 512; ECDSA 32, 48, 66.' },
          { name: 'curve_id', label: 'Curve', when: ({ algorithm }) => algorithm === 'ECDSA' },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-d/keys', { body }),
      },
      EXTERNAL_WAY,
    ],
  },
}
