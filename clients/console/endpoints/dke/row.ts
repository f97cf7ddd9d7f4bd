import { createDkeEndpoint, listDkeEndpoints } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { callTo, type Call } from '../../calls.ts'
import { filledFrom } from '../../forms/changes.ts'
import { described, type FieldRow, type Values } from '../../forms/fields.ts'
import { recordsAt } from '../../service.ts'
import type { AnswerOf, PathOf } from '../../../sdk/calls.ts'
import { ARCHIVABLE_STATES, archivable } from '../archivable.ts'
import type { ProtocolRow } from '../row.ts'
import { RESOURCES } from './resources.ts'

type Endpoint = AnswerOf<'get', '/v1/keymgr/docsuite/dke/endpoints/{id}'>

const AT = '/v1/keymgr/docsuite/dke/endpoints'
const act = (path: PathOf<'post'>, { id }: Endpoint): Call => callTo('post', path, { path: { id } })

const TYPE = 'authorization_params/authorization_type'
const isType =
  (type: string) =>
  (values: Values): boolean =>
    values[TYPE] === type
const AUTHORIZATION: readonly FieldRow[] = [
  {
    name: TYPE,
    label: 'Lets in by',
    hint: 'All people of the tenants are let in where it is not set.',
    choices: [
      { value: 'email', label: 'Addresses' },
      { value: 'role', label: 'Roles' },
    ],
  },
  {
    ...{ name: 'authorization_params/email_authz_params/authorized_email_addresses', label: 'Addresses' },
    ...{ isRequired: true, hint: 'One on each line.', when: isType('email') },
  },
  {
    ...{ name: 'authorization_params/role_authz_params/authorized_roles', label: 'Roles' },
    ...{ isRequired: true, hint: 'One on each line.', when: isType('role') },
  },
]

const WHO = described(createDkeEndpoint, [
  { name: 'auth_tenants', label: 'Tenants', hint: 'Tenant ids, one on each line.' },
  ...AUTHORIZATION,
])

type Who = Pick<Endpoint, 'auth_tenants' | 'authorization_params'>

/** Empty fields are cleared. The issuer has no field and is kept where addresses or roles decide. */
const whoOf = (
  { authorization_params: before }: Endpoint,
  { auth_tenants = [], authorization_params: params }: Partial<Who>,
): Record<string, unknown> => ({
  auth_tenants,
  authorization_params:
    params === undefined ? null : { ...params, ...(before?.valid_issuers && { valid_issuers: before.valid_issuers }) },
})

export const dke: ProtocolRow<Endpoint> = {
  name: 'dke',
  title: 'DKE',
  more: RESOURCES,
  noun: 'DKE endpoint',
  about: 'A document suite calls them to open documents that are encrypted twice.',
  uri: 'keymgr:dke-endpoint',
  ...recordsAt(AT),
  summary: ({ id, uri, name, status, key_uri, algorithm, createdAt }) => ({
    ...{ id, uri, name, address: key_uri, key: algorithm, createdAt },
    ...ARCHIVABLE_STATES[status],
  }),
  attributes: (endpoint) => [
    ['Description', endpoint.description],
    ['Address', endpoint.key_uri],
    ['Key', endpoint.kek_name],
    ['Key version', endpoint.kek_version],
    ['Algorithm', endpoint.algorithm],
    ['Tenants', endpoint.auth_tenants.join(', ')],
    ['Issuer', endpoint.authorization_params?.valid_issuers?.join(', ')],
    ['Addresses', endpoint.authorization_params?.email_authz_params?.authorized_email_addresses.join(', ')],
    ['Roles', endpoint.authorization_params?.role_authz_params?.authorized_roles.join(', ')],
    ['Rotated by a job', endpoint.auto_rotate ? 'Yes' : 'No'],
    ['Successful calls are recorded', endpoint.enable_success_audit_event ? 'Yes' : 'No'],
    ['Archived', endpoint.archived_at],
  ],
  filters: filtersOf(listDkeEndpoints, [
    { name: 'name', label: 'Name', isFirst: true },
    { name: 'status', label: 'State', isFirst: true },
    { name: 'auto_rotate', label: 'Rotated by a job' },
    { name: 'key_uri_hostname', label: 'Host name' },
    { name: 'kek_name', label: 'Key' },
  ]),
  actions: [
    {
      ...{ name: 'rotate', title: 'Rotate', done: 'The endpoint has a new key version.' },
      about: 'New documents are encrypted with a new version of the key. Former versions still decrypt.',
      applies: ({ status }) => status === 'Enabled',
      call: (endpoint) => act(`${AT}/{id}/rotate`, endpoint),
    },
    {
      ...{ name: 'authorize', title: 'Change who is let in', submit: 'Save', done: 'The endpoint is changed.' },
      about: 'Says whose documents the endpoint opens.',
      fieldsFor: (endpoint) => filledFrom(WHO, endpoint),
      applies: ({ status }) => status !== 'Archived',
      call: (endpoint, body) =>
        callTo('patch', `${AT}/{id}`, { path: { id: endpoint.id }, body: whoOf(endpoint, body) }),
    },
    ...archivable<Endpoint>((verb, endpoint) => act(`${AT}/{id}/${verb}`, endpoint)),
    {
      ...{ name: 'delete', title: 'Delete', done: 'The endpoint is deleted.' },
      about: 'Removes the endpoint. Documents that it protects cannot be opened any more.',
      ends: { nameOf: ({ name }) => name },
      applies: ({ status }) => status === 'Archived',
      call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
    },
  ],
  add: {
    ...{
      name: 'add',
      title: 'Add a DKE endpoint',
      about: 'Makes a key pair, and an address by which the suite uses it.',
    },
    fields: described(createDkeEndpoint, [
      { name: 'name', label: 'Name' },
      { name: 'key_uri_hostname', label: 'Host name', hint: 'By which applications call.' },
      { name: 'description', label: 'Description' },
      ...WHO,
      { name: 'existing_key_id', label: 'Local key', hint: 'A new key pair is made where it is left empty.' },
      { name: 'algorithm', label: 'Algorithm' },
      { name: 'enabled', label: 'Answers calls from the start' },
      { name: 'enable_success_audit_event', label: 'Successful calls are recorded' },
    ]),
    call: (body) => callTo('post', AT, { body }),
  },
}
