import type { AnswerOf, PathOf } from '../../../sdk/calls.ts'
import { callTo, type Call } from '../../calls.ts'
import type { ProtocolRow } from '../../endpoints/row.ts'
import type { Action } from '../../forms/actions.tsx'
import { described } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { read, recordsAt } from '../../service.ts'
import type { Tone } from '../../words/states.tsx'
import {
  createDatacustExternalKey,
  createDatacustKeystore,
  listDatacustExternalKeys,
  listDatacustKeystores,
} from './described.ts'

const STORES = '/v1/keymgr/datacust/ekm/keystores'
const KEYS = '/v1/keymgr/datacust/ekm/keys'
type Keystore = AnswerOf<'get', '/v1/keymgr/datacust/ekm/keystores/{id}'>
type ExternalKey = AnswerOf<'get', '/v1/keymgr/datacust/ekm/keys/{id}'>

const act = (path: PathOf<'post'>, { id }: { readonly id: string }): Call => callTo('post', path, { path: { id } })

interface Blockable {
  readonly id: string
  readonly name: string
  readonly blocked: boolean
}

/** Blocking, archiving and deletion of a key store or an external key. @param what `key store` */
function moves<E extends Blockable>(
  at: typeof STORES | typeof KEYS,
  what: string,
  isArchived: (one: E) => boolean,
): readonly Action<E>[] {
  return [
    {
      ...{ name: 'block', title: 'Block', done: `The ${what} is blocked.` },
      about: 'Refuses every call of the platform from the next one on.',
      applies: ({ blocked }) => !blocked,
      call: (one) => act(`${at}/{id}/block`, one),
    },
    {
      ...{ name: 'unblock', title: 'Unblock', done: `The ${what} answers again.`, about: 'Answers calls again.' },
      applies: ({ blocked }) => blocked,
      call: (one) => act(`${at}/{id}/unblock`, one),
    },
    {
      ...{ name: 'archive', title: 'Archive', done: `The ${what} is archived.` },
      about: 'Refuses every call until it is recovered. An archived one can be deleted.',
      applies: (one) => !isArchived(one),
      call: (one) => act(`${at}/{id}/archive`, one),
    },
    {
      ...{ name: 'recover', title: 'Recover', done: `The ${what} is recovered.`, about: `Brings the ${what} back.` },
      applies: isArchived,
      call: (one) => act(`${at}/{id}/recover`, one),
    },
    {
      ...{ name: 'delete', title: 'Delete', done: `The ${what} is deleted.` },
      about: `Removes the ${what}. The platform can no longer decrypt what it protects.`,
      ends: { nameOf: ({ name }) => name },
      applies: isArchived,
      call: ({ id }) => callTo('delete', `${at}/{id}`, { path: { id } }),
    },
  ]
}

const stateOf = (state: string, blocked: boolean): { readonly state: string; readonly tone: Tone } => {
  if (blocked) return { state: 'Blocked', tone: 'bad' }
  return { state, tone: state === 'ACTIVE' || state === 'Enabled' ? 'good' : 'quiet' }
}

const keystores: ProtocolRow<Keystore> = {
  name: 'datacust-keystores',
  title: 'Datacust key stores',
  noun: 'external key store',
  about: 'A data-custodian platform calls them with a client certificate, to use keys that stay here.',
  uri: 'keymgr:datacust-keystore',
  ...recordsAt(STORES),
  summary: ({ id, uri, name, state, blocked, keystore_url, key_count, createdAt }) => ({
    ...{ id, uri, name, address: keystore_url, key: `${key_count} keys`, createdAt, ...stateOf(state, blocked) },
  }),
  attributes: (keystore) => [
    ['Description', keystore.description],
    ['Address', keystore.keystore_url],
    ['Tenant', keystore.sap_tenant_id],
    ['Fingerprint of the certificate', keystore.certificate_sha256],
    ['The certificate expires', keystore.certificate_expires_at],
    ['Keys', String(keystore.key_count)],
    ['Successful calls are recorded', keystore.enable_success_audit_event ? 'Yes' : 'No'],
    ['Archived', keystore.archived_at],
  ],
  filters: filtersOf(listDatacustKeystores, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'state', label: 'State', isFirst: true },
    { name: 'blocked', label: 'Blocked' },
    { name: 'sap_tenant_id', label: 'Tenant' },
    { name: 'keystore_url_hostname', label: 'Host name' },
  ]),
  actions: [
    {
      ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The key store is changed.' },
      about: 'Changes the name, the host by which the platform calls, and what is recorded.',
      fieldsFor: ({ name, description = '', keystore_url_hostname: host, enable_success_audit_event: isRecorded }) => [
        { name: 'name', label: 'Name', isRequired: true, initial: name },
        { name: 'description', label: 'Description', initial: description },
        { name: 'keystore_url_hostname', label: 'Host name', isRequired: true, initial: host },
        {
          ...{ name: 'enable_success_audit_event', label: 'Record successful calls', kind: 'flag' },
          initial: isRecorded ? 'true' : '',
        },
      ],
      applies: ({ state }) => state === 'ACTIVE',
      call: ({ id }, body) => callTo('patch', `${STORES}/{id}`, { path: { id }, body }),
    },
    {
      ...{ name: 'certificate', title: 'Replace certificate', submit: 'Save', done: 'The certificate is replaced.' },
      about: 'The platform must present the new certificate from the next call on.',
      fields: [{ name: 'certificate', label: 'Certificate', kind: 'file', isRequired: true, hint: 'PEM.' }],
      applies: ({ state }) => state === 'ACTIVE',
      call: ({ id }, body) => callTo('patch', `${STORES}/{id}`, { path: { id }, body }),
    },
    ...moves<Keystore>(STORES, 'key store', ({ state }) => state === 'ARCHIVED'),
  ],
  add: {
    ...{ name: 'add', title: 'Add an external key store' },
    about: 'Makes an address by which a group of the platform uses keys that stay here.',
    fields: described(createDatacustKeystore, [
      { name: 'name', label: 'Name' },
      { name: 'sap_tenant_id', label: 'Tenant' },
      {
        name: 'certificate',
        label: 'Certificate',
        kind: 'file',
        hint: 'PEM of the client certificate of the platform.',
      },
      { name: 'keystore_url_hostname', label: 'Host name', hint: 'With mutual TLS, by which the platform calls.' },
      { name: 'description', label: 'Description' },
      { name: 'enable_success_audit_event', label: 'Record successful calls' },
    ]),
    call: (body) => callTo('post', STORES, { body }),
  },
}

const externalKeys: ProtocolRow<ExternalKey> = {
  name: 'datacust-keys',
  title: 'Datacust external keys',
  noun: 'external key',
  about: 'Keys of external key stores: the platform uses them, and they stay here.',
  uri: 'keymgr:datacust-external-key',
  ...recordsAt(KEYS),
  isServed: () => false, // their key store is
  summary: ({ id, uri, name, state, blocked, source_key_name, algorithm, size, version_count, createdAt }) => ({
    ...{ id, uri, name, createdAt, ...stateOf(state, blocked) },
    address: `${algorithm} ${size}, ${version_count === 1 ? '1 version' : `${version_count} versions`}`,
    key: source_key_name,
  }),
  attributes: (key) => [
    ['Description', key.description],
    ['Tenant', key.sap_tenant_id],
    ['Local key', key.source_key_name],
    ['Versions', String(key.version_count)],
    ['Newest version', key.version_id],
    ['Rotated by a job', key.auto_rotate ? 'Yes' : 'No'],
    ['Archived', key.archived_at],
  ],
  filters: filtersOf(listDatacustExternalKeys, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'state', label: 'State', isFirst: true },
    { name: 'algorithm', label: 'Algorithm', isFirst: true },
    { name: 'blocked', label: 'Blocked' },
    { name: 'source_key_name', label: 'Local key' },
    { name: 'keystore_id', label: 'Key store id' },
  ]),
  actions: [
    {
      ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The key is changed.' },
      about: 'Changes the name and the description of the key here.',
      fieldsFor: ({ name, description = '' }) => [
        { name: 'name', label: 'Name', isRequired: true, initial: name },
        { name: 'description', label: 'Description', initial: description },
      ],
      applies: ({ state }) => state !== 'Archived',
      call: ({ id }, body) => callTo('patch', `${KEYS}/{id}`, { path: { id }, body }),
    },
    {
      ...{ name: 'rotate', title: 'Rotate', done: 'The key has a new version.' },
      about: 'New data is protected with a new version. Former versions still decrypt.',
      fields: [
        {
          name: 'source_key_identifier',
          label: 'Another local key',
          hint: 'A new version of the present one without it.',
        },
      ],
      applies: ({ state }) => state === 'Enabled',
      call: ({ id }, body) => callTo('post', `${KEYS}/{id}/versions`, { path: { id }, body }),
    },
    {
      ...{ name: 'enable', title: 'Enable', done: 'The key answers again.', about: 'Lets the platform use the key.' },
      applies: ({ state }) => state === 'Disabled',
      call: (key) => act(`${KEYS}/{id}/enable`, key),
    },
    {
      ...{ name: 'disable', title: 'Disable', done: 'The key refuses every use.' },
      about: 'Refuses every use of the key until it is enabled again.',
      applies: ({ state }) => state === 'Enabled',
      call: (key) => act(`${KEYS}/{id}/disable`, key),
    },
    ...moves<ExternalKey>(KEYS, 'key', ({ state }) => state === 'Archived'),
  ],
  add: {
    ...{ name: 'add', title: 'Add an external key' },
    about: 'Lets the platform use a local key through an external key store.',
    fields: described(createDatacustExternalKey, [
      {
        ...{ name: 'keystore_id', label: 'Key store' },
        choices: async () => {
          const { resources } = await read(STORES, { query: { limit: 1000 } })
          return resources.map(({ id: value, name: label }) => ({ value, label }))
        },
      },
      { name: 'name', label: 'Name' },
      { name: 'source_key_identifier', label: 'Local key', hint: 'AES of 256 bits, or RSA of 3072 or 4096 bits.' },
      { name: 'description', label: 'Description' },
    ]),
    call: (body) => callTo('post', KEYS, { body }),
  },
}

/** Key stores that the platform calls, and their keys. */
export const ENDPOINTS: readonly ProtocolRow[] = [keystores, externalKeys]
