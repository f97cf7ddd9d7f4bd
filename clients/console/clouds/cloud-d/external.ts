import type { PathOf } from '../../../sdk/calls.ts'
import type { components } from '../../../sdk/api.d.ts'
import { callTo, type Call } from '../../calls.ts'
import type { ProtocolRow } from '../../endpoints/row.ts'
import { described, type Choice, type FieldRow } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { read, recordsAt } from '../../service.ts'
import type { Tone } from '../../words/states.tsx'
import type { KeyAction } from '../row.ts'
import type { CloudDVault } from './containers.ts'
import { createExternalCloudDKey, createExternalCloudDVault, listCloudDVaults } from './described.ts'

type CloudDKey = components['schemas']['CloudDKey']
type Issuer = components['schemas']['CloudDIssuer']

const AT = '/v1/keymgr/cloud-d/vaults'
const act = (path: PathOf<'post'>, { id }: { readonly id: string }): Call => callTo('post', path, { path: { id } })
const isBlocked = ({ external_vault_params: params }: CloudDVault): boolean => params?.blocked === true
const isLinked = ({ external_vault_params: params }: CloudDVault): boolean => params?.linked_state === true

function stateOf(vault: CloudDVault): { readonly state: string; readonly tone: Tone } {
  if (isBlocked(vault)) return { state: 'Blocked', tone: 'bad' }
  return isLinked(vault) ? { state: 'Linked', tone: 'good' } : { state: 'Not linked', tone: 'quiet' }
}

const issuers = async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/keymgr/cloud-d/issuers', { query: { limit: 1000 } })
  return resources.map(({ id: value, name: label }: Issuer) => ({ value, label }))
}
const tenancies = async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/keymgr/cloud-d/tenancy', { query: { limit: 1000 } })
  return resources.map(({ id: value, tenancy: label }) => ({ value, label }))
}
export const externalVaults = async (): Promise<readonly Choice[]> => {
  const { resources } = await read(AT, { query: { vault_type: ['EXTERNAL'], limit: 1000 } })
  return resources.map(({ id: value, name: label }) => ({ value, label }))
}

const POLICY: FieldRow = { name: 'policy', label: 'Policy', kind: 'area', hint: 'Rego; checked after everything else.' }

/** External vaults, through which cloud-d uses keys that stay here. */
export const EXTERNAL_VAULTS: ProtocolRow<CloudDVault> = {
  name: 'external-vaults',
  title: 'External vaults',
  noun: 'external vault',
  about: 'Cloud-d calls them to encrypt and decrypt with keys that stay here.',
  uri: 'keymgr:cloud-d-vault',
  ...recordsAt(AT),
  list: (query, signal) => recordsAt(AT).list({ ...query, vault_type: 'EXTERNAL' }, signal),
  summary: (vault) => ({
    ...{ id: vault.id, uri: vault.uri, name: vault.name, createdAt: vault.createdAt, ...stateOf(vault) },
    ...{ address: vault.external_vault_params?.endpoint_url ?? '', key: vault.tenancy },
  }),
  attributes: ({ external_vault_params: params, ...vault }) => [
    ['Address for the cloud', params?.endpoint_url],
    ['Tenancy', vault.tenancy],
    ['Connection', vault.connection],
    ['Issuer', params?.issuer_id],
    ['Client of the issuer', params?.client_application_id],
    ['Linked', params?.linked_state === true ? 'Yes' : 'No'],
    ['Successful calls are recorded', params?.enable_success_audit_event === true ? 'Yes' : 'No'],
    ['Policy', params?.policy],
  ],
  filters: filtersOf(listCloudDVaults, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'tenancy', label: 'Tenancy', isFirst: true },
    { name: 'linked_state', label: 'Linked', isFirst: true },
    { name: 'connection', label: 'Connection' },
  ]),
  actions: [
    {
      ...{ name: 'block', title: 'Block', done: 'The vault refuses every call.' },
      about: 'Refuses every use of its keys within five seconds.',
      applies: (vault) => !isBlocked(vault),
      call: (vault) => act(`${AT}/{id}/block`, vault),
    },
    {
      ...{ name: 'unblock', title: 'Unblock', done: 'The vault answers again.' },
      about: 'Lets the cloud use its keys again.',
      applies: isBlocked,
      call: (vault) => act(`${AT}/{id}/unblock`, vault),
    },
    {
      ...{ name: 'unlink', title: 'Unlink', done: 'The vault is not linked.' },
      about: 'States that the vault of the cloud that referred to this one is deleted.',
      applies: (vault) => isBlocked(vault) && isLinked(vault),
      call: (vault) => act(`${AT}/{id}/unlink`, vault),
    },
    {
      ...{ name: 'delete', title: 'Delete', done: 'The vault is deleted.' },
      about: 'Deletes the vault, which must be without keys and not linked.',
      applies: (vault) => !isLinked(vault),
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'add', title: 'Add an external vault' },
    about: 'Makes an address through which the cloud uses keys that stay here.',
    fields: described(createExternalCloudDVault, [
      { name: 'vault_name', label: 'Name' },
      { name: 'tenancy', label: 'Tenancy', isRequired: true, choices: tenancies },
      { name: 'issuer_id', label: 'Issuer', choices: issuers },
      { name: 'client_application_id', label: 'Client of the issuer' },
      { name: 'endpoint_url_hostname', label: 'Host of this service', hint: 'As the cloud reaches it.' },
      { name: 'endpoint_url_port', label: 'Port', initial: '443' },
      POLICY,
    ]),
    call: (body) => callTo('post', '/v1/keymgr/cloud-d/create-external-vault', { body }),
  },
}

const isExternal = ({ hyok_key_params: params }: CloudDKey): boolean => params !== undefined
const isBlockedKey = ({ hyok_key_params: params }: CloudDKey): boolean => params?.blocked === true
const isLinkedKey = ({ hyok_key_params: params }: CloudDKey): boolean => params?.linked_state === true

/** Actions on one external key. */
export const EXTERNAL_KEY_ACTIONS: readonly KeyAction<CloudDKey>[] = [
  {
    ...{ name: 'new-version', title: 'Rotate', done: 'The key has a new version.' },
    about: 'Makes a new version of the local key. The cloud uses it after a rotation of its own key.',
    applies: isExternal,
    call: ({ id }) =>
      callTo('post', '/v1/keymgr/cloud-d/keys/{id}/versions', { path: { id }, body: { is_native: true } }),
  },
  {
    ...{ name: 'block', title: 'Block', done: 'The key refuses every use.' },
    about: 'Refuses every use of the key within five seconds.',
    applies: (key) => isExternal(key) && !isBlockedKey(key),
    call: (key) => act('/v1/keymgr/cloud-d/keys/{id}/block', key),
  },
  {
    ...{ name: 'unblock', title: 'Unblock', done: 'The key answers again.' },
    about: 'Lets the cloud use the key again.',
    applies: isBlockedKey,
    call: (key) => act('/v1/keymgr/cloud-d/keys/{id}/unblock', key),
  },
  {
    ...{ name: 'unlink', title: 'Unlink', done: 'The key is not linked.' },
    about: 'States that the key of the cloud that referred to this one is deleted.',
    applies: (key) => isBlockedKey(key) && isLinkedKey(key),
    call: (key) => act('/v1/keymgr/cloud-d/keys/{id}/unlink', key),
  },
  {
    ...{ name: 'remove', title: 'Delete', done: 'The key is deleted.' },
    about: 'Deletes the external key, which must not be linked. The local key stays.',
    applies: (key) => isExternal(key) && !isLinkedKey(key),
    call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-d/keys/{id}', { path: { id } }),
  },
]

/** The way to create an external key. */
export const EXTERNAL_WAY = {
  ...{ name: 'external', title: 'Keep it here', about: 'Cloud-d uses a local AES key of 256 bits, which stays here.' },
  fields: described(createExternalCloudDKey, [
    { name: 'vault', label: 'External vault', choices: externalVaults },
    { name: 'name', label: 'Name' },
    { name: 'source_key_identifier', label: 'Local key', hint: 'Name or id of the key that the cloud uses.' },
    POLICY,
  ]),
  call: (body: Record<string, unknown>): Call => callTo('post', '/v1/keymgr/cloud-d/create-external-key', { body }),
}
