import { createCloudACustomKeyStore, listCloudACustomKeyStores } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { callTo, type Call } from '../../calls.ts'
import { described } from '../../forms/fields.ts'
import { read, recordsAt } from '../../service.ts'
import type { PathOf } from '../../../sdk/calls.ts'
import type { Tone } from '../../words/states.tsx'
import type { NotConnected } from '../row.ts'
import { kmsNames } from './containers.ts'
import type { ProtocolRow } from '../../endpoints/row.ts'
import { ALLOWED, connectionOf, isBlocked, type Connection, type Store } from './key-store-rules.ts'

const AT = '/v1/keymgr/cloud-a/custom-key-stores'

const STATES: Readonly<Record<Connection, { readonly state: string; readonly tone: Tone }>> = {
  DISCONNECTED: { state: 'Disconnected', tone: 'quiet' },
  CONNECTING: { state: 'Connecting', tone: 'waiting' },
  CONNECTED: { state: 'Connected', tone: 'good' },
  DISCONNECTING: { state: 'Disconnecting', tone: 'waiting' },
  FAILED: { state: 'Failed', tone: 'bad' },
}

const act = (path: PathOf<'post'>, { id }: Store, body?: Record<string, unknown>): Call =>
  callTo('post', path, { path: { id }, ...(body !== undefined && { body }) })

function stateOf(store: Store): { readonly state: string; readonly tone: Tone } {
  if (store.gone) return { state: 'Gone at the cloud', tone: 'bad' }
  if (isBlocked(store)) return { state: 'Blocked', tone: 'bad' }
  return store.linked_state ? STATES[connectionOf(store)] : { state: 'Not linked', tone: 'quiet' }
}

export const KEY_STORES: ProtocolRow<Store> = {
  name: 'xks',
  title: 'External key stores',
  noun: 'key store',
  about: 'Cloud-a calls them to encrypt and decrypt with keys that stay here.',
  uri: 'keymgr:cloud-a-custom-key-store',
  ...recordsAt(AT),
  summary: (store) => ({
    ...{ id: store.id, uri: store.uri, name: store.name, createdAt: store.createdAt, ...stateOf(store) },
    address: `${store.cloud_a_param.xks_proxy_uri_endpoint ?? ''}${store.cloud_a_param.xks_proxy_uri_path ?? ''}`,
    key: `${store.kms} · ${store.region}`,
    isMoving: connectionOf(store).endsWith('ING'),
  }),
  attributes: (store) => [
    ['KMS', `${store.kms} · ${store.region}`],
    ['Address', store.cloud_a_param.xks_proxy_uri_endpoint],
    ['Path', store.cloud_a_param.xks_proxy_uri_path],
    ['Id at the cloud', store.cloud_a_param.custom_key_store_id],
    ['Connection', store.linked_state ? STATES[connectionOf(store)].state : undefined],
    ['Fault', store.cloud_a_param.connection_error_details],
    ['Credentials', store.credential_count === undefined ? undefined : String(store.credential_count)],
    ['Most credentials', store.local_hosted_params && String(store.local_hosted_params.max_credentials)],
    ['Mutual TLS', store.local_hosted_params && (store.local_hosted_params.mtls_enabled ? 'Yes' : 'No')],
    ['Successful calls are recorded', store.enable_success_audit_event ? 'Yes' : 'No'],
    ['Read from the cloud', store.synced_at],
  ],
  isServed: ({ local_hosted_params: local }) => local !== undefined,
  filters: filtersOf(listCloudACustomKeyStores, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'connection_state', label: 'Connection', isFirst: true },
    { name: 'kms', label: 'KMS', isFirst: true },
    { name: 'region', label: 'Region' },
    { name: 'blocked', label: 'Blocked' },
    { name: 'linked_state', label: 'Linked' },
    { name: 'type', label: 'Type' },
  ]),
  actions: [
    {
      ...{ name: 'link', title: 'Link', done: 'The store is made at the cloud.' },
      about: 'Makes the store at the cloud. Connect it then.',
      applies: ALLOWED.link,
      call: (store) => act(`${AT}/{id}/link`, store, {}),
    },
    {
      ...{ name: 'connect', title: 'Connect', done: 'The cloud connects the store.' },
      about: 'Lets the cloud call the store. It takes some minutes.',
      applies: ALLOWED.connect,
      call: (store) => act(`${AT}/{id}/connect`, store, {}),
    },
    {
      ...{ name: 'disconnect', title: 'Disconnect', done: 'The cloud disconnects the store.' },
      about: 'No key of the store can be used until it is connected again.',
      applies: ALLOWED.disconnect,
      call: (store) => act(`${AT}/{id}/disconnect`, store),
    },
    {
      ...{ name: 'block', title: 'Block', done: 'The store refuses every call.' },
      about: 'Refuses every call at once, whatever the cloud thinks of the store.',
      applies: ALLOWED.block,
      call: (store) => act(`${AT}/{id}/block`, store),
    },
    {
      ...{ name: 'unblock', title: 'Unblock', done: 'The store answers again.' },
      about: 'Lets the store answer again.',
      applies: ALLOWED.unblock,
      call: (store) => act(`${AT}/{id}/unblock`, store),
    },
    {
      ...{ name: 'rotate', title: 'Rotate the credential', done: 'The store has a new credential.' },
      about: 'Makes a new credential. The cloud is given it where the store is linked; else it is shown once.',
      applies: ALLOWED.rotate,
      call: (store) => act(`${AT}/{id}/rotate-credential`, store),
    },
    {
      ...{ name: 'delete', title: 'Delete', done: 'The store is deleted.' },
      about: 'Removes the store, at the cloud as well. It must be disconnected, and without keys.',
      ends: { nameOf: ({ name }) => name },
      applies: ALLOWED.delete,
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'add', title: 'Add a key store', about: 'Makes an external key store, whose keys stay here.' },
    fields: described(createCloudACustomKeyStore, [
      { name: 'name', label: 'Name' },
      { name: 'kms', label: 'KMS', choices: kmsNames },
      { name: 'region', label: 'Region' },
      {
        ...{ name: 'cloud_a_param/xks_proxy_uri_endpoint', label: 'Address of this service', isRequired: true },
        hint: 'As the cloud reaches it, such as https://xks.example.com.',
      },
      {
        ...{ name: 'local_hosted_params/health_check_key_id', label: 'Health check key', isRequired: true },
        hint: 'Name or id of a local AES key of 256 bits.',
      },
      {
        ...{ name: 'local_hosted_params/max_credentials', label: 'Most credentials', kind: 'number' },
        ...{ isRequired: true, initial: '2', min: 2, max: 20 },
      },
      { name: 'local_hosted_params/mtls_enabled', label: 'The cloud calls with a certificate' },
      { name: 'linked_state', label: 'Make it at the cloud at once' },
      { name: 'cloud_a_param/xks_proxy_connectivity', label: 'Reached by' },
      {
        ...{ name: 'cloud_a_param/xks_proxy_vpc_endpoint_service_name', label: 'Name of the endpoint service' },
        isRequired: true,
        when: (values) => values['cloud_a_param/xks_proxy_connectivity'] === 'VPC_ENDPOINT_SERVICE',
      },
    ]),
    call: (body) => callTo('post', AT, { body }),
  },
  secrets: (answer) => {
    const { access_key_id, secret_access_key } = answer as {
      readonly access_key_id?: string
      readonly secret_access_key?: string
    } // the answer to a creation or a rotation
    return secret_access_key === undefined
      ? []
      : [
          ['Access key id', access_key_id],
          ['Secret access key', secret_access_key],
        ]
  },
}

/** Stores to which the cloud is not connected. */
export async function notConnected(signal: AbortSignal): Promise<readonly NotConnected[]> {
  const { resources } = await read(AT, { query: { connection_state: ['DISCONNECTED', 'FAILED'], limit: 100 }, signal })
  return resources.map(({ id, name, cloud_a_param: { connection_state: state = 'DISCONNECTED' } }) => ({
    ...{ id, at: `endpoints/${KEY_STORES.name}/${id}`, title: name, state },
  }))
}
